"""`lagoon erase`: removes one group, client id or client host from a lake. docs/decisions/0037-keeping-and-forgetting.md

The order makes it safe to be killed and repeated: the record, the counts, the rows, the files. Until the rows are gone a second
call finds them again and writes the same counts.
"""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from spark_jobs.lake import ledger
from spark_jobs.lake.erasures import ERASURE, entry_of, erased_again, erasures_in, new_erasure
from spark_jobs.lake.file_folder import FileFolder
from spark_jobs.lake.kept_days import UPKEEP, kept_days
from spark_jobs.lake.lake_folder import lake_folder
from spark_jobs.lake.ledger import Entry, Ledger
from spark_jobs.lake.ledger_folder import append_entries, newest_in
from spark_jobs.lake.table_folder import TableFolder, open_folder, open_folders
from spark_jobs.lake.write_lock import LOCK, without_lock
from spark_jobs.printing import print_line
from spark_jobs.progress import Progress, counted
from spark_jobs.settings import Settings
from spark_jobs.upkeep.erase_files import (
    OtherFile,
    erase_from_files,
    files_with,
    landed_files_with,
    write_reports_again,
)
from spark_jobs.upkeep.erase_table import Found, counted_by, erase, find
from spark_jobs.upkeep.erased_ledger import (
    FILES,
    bronze_after,
    gold_after,
    lower_counts_of_files,
    silver_after,
)
from spark_jobs.upkeep.erased_value import ErasedValue


def erase_lake(
    settings: Settings,
    named: ErasedValue,
    progress: Progress,
    *,
    dry_run: bool,
    require_lock: Callable[[], None] = without_lock,
) -> None:
    lake = lake_folder(settings, require_lock)
    tables = open_folders(lake)
    others = _other_names(tables)
    value = replace(
        named,
        is_other_name=named.text in others["topic"],
        other_groups=frozenset(others["group_id"] - {named.text}),
    )
    if value.is_other_name:
        progress.warn(
            "A topic or a cluster has this name too: texts are searched only where they say that they name a "
            f"{value.kind.replace('_', ' ')}."
        )
    with progress.step("search", counted(len(tables), "table")) as step:
        found = {}
        for name, table in sorted(tables.items()):
            step.doing(name)
            if of_table := find(table, value):
                found[name] = of_table
        files = files_with(settings, lake, value)
    read_from = {path for of_table in found.values() for (path,) in counted_by(of_table.erased, "source_file") if path}
    landed = landed_files_with(settings, value, read_from)
    _print_found(found, files, landed, lake, progress, dry_run=dry_run)
    # Each command that writes the lake has written this object.
    if lake.has_versions(LOCK):
        progress.warn(
            f"The bucket of {lake.uri} keeps old versions of its objects, and in them what is erased: delete them too "
            "(docs/operations.md, Erasing a group, a client or a host)."
        )
    if dry_run:
        return
    if not _is_recorded(tables[ledger.TABLE], value) or found or files:
        _change_ledger(settings, tables, found, value)
    with progress.step("erase", counted(len(found), "table")) as step:
        for name in sorted(found):
            step.doing(name)
            table = open_folder(name, tables[name].folder)
            # bronze.files and the ledger have another version by now.
            erase(found[name] if table.version == tables[name].version else find(table, value), value)
        erase_from_files(lake, files, value)
        write_reports_again(settings, files)


def _other_names(tables: Mapping[str, TableFolder]) -> dict[str, set[str]]:
    """The names of all topics and clusters, and of all groups."""
    names: dict[str, set[str]] = {"topic": set(), "group_id": set()}
    for table in tables.values():
        names["topic"] |= {file.partition["cluster"] for file in table.files if "cluster" in file.partition}
        columns = [name for name in names if name in table.columns_in_files.names]
        for rows in table.read_each(table.files if columns else (), columns):
            for name in rows.column_names:
                names[name] |= set(rows[name].unique().drop_null().to_pylist())
    return names


def _is_recorded(runs: TableFolder, value: ErasedValue) -> bool:
    return bool(erased_again(erasures_in(newest_in(runs, ERASURE).values()), [value.text]))


def _change_ledger(
    settings: Settings, tables: Mapping[str, TableFolder], found: Mapping[str, Found], value: ErasedValue
) -> None:
    """Records the erasure, and what each delivery and slice has left."""
    runs, now = tables[ledger.TABLE], dt.datetime.now(dt.UTC)
    kept = kept_days(newest_in(runs, UPKEEP).values())
    bronze, silver, gold = (newest_in(runs, layer) for layer in ("bronze", "silver", "gold"))
    changed: list[Entry] = [entry_of(new_erasure(value.kind, value.text, now.date()), now)]
    if FILES in tables:
        files = lower_counts_of_files(tables[FILES], found)
        bronze_now = bronze_after(bronze, files, value, kept)
        silver_now = silver_after(bronze, bronze_now, silver, found, settings, kept)
        gold_now = gold_after(bronze, bronze_now, silver, silver_now, gold)
        for before, after in ((bronze, bronze_now), (silver, silver_now), (gold, gold_now)):
            changed += _different(before, after)
    append_entries(runs, changed)


def _different(before: Ledger, after: Ledger) -> list[Entry]:
    return [entry for place, entry in sorted(after.items()) if entry != before[place]]


def _print_found(
    found: Mapping[str, Found],
    files: Sequence[OtherFile],
    landed: Sequence[str],
    lake: FileFolder,
    progress: Progress,
    *,
    dry_run: bool,
) -> None:
    output = progress.output
    for name, of_table in sorted(found.items()):
        old = f", and {counted(len(of_table.old_files), 'file')} of old versions" if of_table.old_files else ""
        print_line(output, f"{name}: {counted(of_table.number, 'row')}{old}")
    for file in files:
        print_line(output, file.path if file.folder is lake else file.folder.address(file.path))
    if not found and not files:
        print_line(output, "The lake does not contain it.")
    elif dry_run:
        print_line(output, "Nothing was changed: the command without --dry-run erases this.")
    if landed:
        progress.warn(
            f"{counted(len(landed), 'file')} in landing may contain it, and stay as they are: they are yours. Remove it "
            "there, or whoever reads them again brings it back:"
        )
        for landed_path in landed:
            print_line(output, landed_path, indent=2)
