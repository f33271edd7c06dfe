"""`lagoon upkeep`: says what goes, then deletes what nobody keeps, merges small files and removes files of old versions."""

import datetime as dt
from collections.abc import Callable, Mapping, Set
from concurrent.futures import ThreadPoolExecutor

from rich.console import Console

from spark_jobs.lake import ledger
from spark_jobs.lake.file_folder import REQUESTS_AT_ONCE, FileFolder, FoundFile
from spark_jobs.lake.kept_days import UPKEEP, KeptDays, kept_days
from spark_jobs.lake.lake_folder import file_folder, lake_folder
from spark_jobs.lake.ledger import Entry, Ledger
from spark_jobs.lake.ledger_folder import append_entries, newest_in
from spark_jobs.lake.table_folder import TableFolder, open_folders
from spark_jobs.lake.write_lock import without_lock
from spark_jobs.landing import NothingLandedError, list_landing
from spark_jobs.printing import print_line
from spark_jobs.progress import counted
from spark_jobs.settings import Settings
from spark_jobs.upkeep.kept_since import LAYERS_WITH_DAYS, kept_since
from spark_jobs.upkeep.upkeep_steps import UpkeepStep, steps_for_files, steps_for_table

_OF_A_FILE = ("source_file", "size", "modified_at")


def keep_lake(
    settings: Settings,
    output: Console,
    *,
    now: dt.datetime,
    dry_run: bool,
    require_lock: Callable[[], None] = without_lock,
) -> None:
    lake = lake_folder(settings, require_lock)
    tables = open_folders(lake)
    since, steps = find_steps(settings, lake, tables, now)
    _print_steps(steps, output, dry_run=dry_run)
    if dry_run:
        return
    # First the ledger: what is deleted must never be built again, also if this process ends half-way.
    if ledger.TABLE in tables:
        _record(tables[ledger.TABLE], {layer: since[layer] for layer in LAYERS_WITH_DAYS if layer in since}, now)
    for step in steps:
        step.act()


def find_steps(
    settings: Settings, lake: FileFolder, tables: Mapping[str, TableFolder], now: dt.datetime
) -> tuple[dict[str, dt.date], list[UpkeepStep]]:
    """The first day of each part that is kept, and what is to be done. They can be done in any order, or in part."""
    runs = tables.get(ledger.TABLE)
    silver: Ledger = newest_in(runs, "silver") if runs else {}
    since = kept_since(settings, now.date(), _recorded(runs))
    steps = _steps_for_landing(settings, tables, since["landing"]) if "landing" in since else []
    # Stores keep whole seconds.
    cutoff = now.replace(microsecond=0) - dt.timedelta(settings.integer("upkeep.time_travel_days"))
    in_order = [tables[name] for name in sorted(tables)]
    with ThreadPoolExecutor(REQUESTS_AT_ONCE) as pool:
        for of_table in pool.map(lambda table: steps_for_table(table, since, silver, cutoff), in_order):
            steps += of_table
    for part, name in (("report", "reports"), ("data_docs", "data_docs")):
        if part in since:
            old = [file for file in lake.files(name) if (day := _day_of(file.path)) and day < since[part]]
            steps += steps_for_files(name, f"days before {since[part]}", old, lake)
    return since, steps


def _recorded(runs: TableFolder | None) -> KeptDays:
    return kept_days(newest_in(runs, UPKEEP).values()) if runs else KeptDays()


def _day_of(path: str) -> dt.date | None:
    """The day of a report or of a page of Data Docs: `reports/2026-11-18-eu.html`."""
    try:
        return dt.date.fromisoformat(path.split("/")[1][:10])
    except ValueError:
        return None


def _steps_for_landing(settings: Settings, tables: Mapping[str, TableFolder], since: dt.date) -> list[UpkeepStep]:
    """Files that bronze has as they are; others stay, so that nothing is lost that was not read."""
    if "bronze.files" not in tables:
        return []
    known, landing = _known_files(tables["bronze.files"], since), file_folder(settings.landing, settings.store)
    what, old = f"deliveries before {since} that bronze has", _landed_as_known(settings, known)

    def act() -> None:
        # Listed again: one that has grown meanwhile stays.
        landing.delete(file.path for file in _landed_as_known(settings, known))

    return [UpkeepStep("landing", what, len(old), sum(file.size for file in old), act)] if old else []


def _known_files(files: TableFolder, since: dt.date) -> Set[FoundFile]:
    """What bronze has read of deliveries before that day."""
    old = [file for file in files.files if file.partition["delivered_on"] < since]
    rows = [row for of_file in files.read_each(old, _OF_A_FILE) for row in of_file.to_pylist()]
    return {FoundFile(*(row[name] for name in _OF_A_FILE)) for row in rows}


def _landed_as_known(settings: Settings, known: Set[FoundFile]) -> list[FoundFile]:
    try:
        landed = list_landing(settings.landing, follow_links=settings.follow_links, access=settings.store).files
    except NothingLandedError:
        return []
    found = [FoundFile(file.path, file.size, file.modified_at) for file in landed]
    return [file for file in found if file in known]


def _record(runs: TableFolder, since: Mapping[str, dt.date], now: dt.datetime) -> None:
    recorded = _recorded(runs)
    entries = [
        Entry("", UPKEEP, day, layer, now, now)
        for layer, day in sorted(since.items())
        if day != recorded.first.get(layer)
    ]
    append_entries(runs, entries)


def _print_steps(steps: list[UpkeepStep], output: Console, *, dry_run: bool) -> None:
    for step in steps:
        print_line(output, f"{step.subject}: {step.what} ({counted(step.files, 'file')}, {_megabytes(step.size)})")
    if not steps:
        print_line(output, "Nothing to do.")
    elif dry_run:
        print_line(output, "Nothing was changed: `lagoon upkeep` without --dry-run does this.")


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
