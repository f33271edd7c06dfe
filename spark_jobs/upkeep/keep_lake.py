"""`lagoon upkeep`: says what goes, then deletes what nobody keeps, merges small files and removes files of old versions."""

import datetime as dt
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console

from spark_jobs.lake import ledger
from spark_jobs.lake.kept_days import UPKEEP, KeptDays, kept_days
from spark_jobs.lake.ledger import Entry, Ledger
from spark_jobs.lake.ledger_folder import append_entries, newest_in
from spark_jobs.lake.location import local_path
from spark_jobs.lake.table_folder import TableFolder, open_folders
from spark_jobs.landing import list_landing
from spark_jobs.printing import print_line
from spark_jobs.progress import counted
from spark_jobs.settings import Settings
from spark_jobs.upkeep.kept_since import LAYERS_WITH_DAYS, kept_since
from spark_jobs.upkeep.upkeep_steps import UpkeepStep, steps_for_folder, steps_for_table


def keep_lake(settings: Settings, output: Console, *, now: dt.datetime, dry_run: bool) -> None:
    tables = open_folders(settings.lake)
    since, steps = find_steps(settings, tables, now)
    _print_steps(steps, output, dry_run=dry_run)
    if dry_run:
        return
    # First the ledger: what is deleted must never be built again, also if this process ends half-way.
    if ledger.TABLE in tables:
        _record(tables[ledger.TABLE], {layer: since[layer] for layer in LAYERS_WITH_DAYS if layer in since}, now)
    for step in steps:
        step.act()


def find_steps(
    settings: Settings, tables: Mapping[str, TableFolder], now: dt.datetime
) -> tuple[dict[str, dt.date], list[UpkeepStep]]:
    """The first day of each part that is kept, and what is to be done. They can be done in any order, or in part."""
    lake, runs = local_path(settings.lake), tables.get(ledger.TABLE)
    assert lake is not None
    silver: Ledger = newest_in(runs, "silver") if runs else {}
    since = kept_since(settings, now.date(), _recorded(runs))
    steps = _steps_for_landing(settings, tables, since["landing"]) if "landing" in since else []
    cutoff = now - dt.timedelta(settings.integer("upkeep.time_travel_days"))
    for _, table in sorted(tables.items()):
        steps += steps_for_table(table, since, silver, cutoff)
    for part, folder in (("report", lake / "reports"), ("data_docs", lake / "data_docs")):
        if part in since and folder.is_dir():
            old = [path for path in folder.iterdir() if path.name[:10] < str(since[part]) and _is_day(path.name[:10])]
            steps += steps_for_folder(folder.name, old, f"days before {since[part]}", folder)
    return since, steps


def _recorded(runs: TableFolder | None) -> KeptDays:
    return kept_days(newest_in(runs, UPKEEP).values()) if runs else KeptDays()


def _is_day(text: str) -> bool:
    try:
        return bool(dt.date.fromisoformat(text))
    except ValueError:
        return False


def _steps_for_landing(settings: Settings, tables: Mapping[str, TableFolder], since: dt.date) -> list[UpkeepStep]:
    """Files that bronze has as they are; others stay, so that nothing is lost that was not read."""
    files, root = tables.get("bronze.files"), local_path(settings.landing)
    if files is None or root is None:
        return []
    known = set()
    for file in files.files:
        rows = files.read(file.path).select(["source_file", "size", "modified_at"]).to_pylist()
        known |= {(row["source_file"], row["size"], row["modified_at"]) for row in rows}
    landed = list_landing(settings.landing, follow_links=settings.follow_links, access=settings.store).files
    old = [
        root / file.path
        for file in landed
        if file.delivered_on < since and (file.path, file.size, file.modified_at) in known
    ]
    return steps_for_folder("landing", old, f"deliveries before {since} that bronze has", Path(root))


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
