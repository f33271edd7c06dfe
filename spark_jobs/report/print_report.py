"""`lagoon report`: the findings of the newest event day, or of the event days of a delivery, as text, JSON or one HTML file."""

import datetime as dt
import json
import sys
from collections.abc import Set
from pathlib import Path

from spark_jobs.dashboard.day_file import day_file, day_file_path
from spark_jobs.dashboard.panel_answers import PanelAnswers
from spark_jobs.errors import UsageError
from spark_jobs.lake.lake_folder import lake_folder
from spark_jobs.lake.location import is_default_lake
from spark_jobs.progress import Progress
from spark_jobs.report.findings import findings_of, group_counts, print_findings
from spark_jobs.report.lake_reader import ClusterDay, LakeReader
from spark_jobs.report.not_understood import not_understood_warnings
from spark_jobs.report.reported_days import delivered, event_days, halted_deliveries
from spark_jobs.report.rule_verdicts import print_rules
from spark_jobs.settings import Settings
from spark_jobs.sql.json_values import as_json
from spark_jobs.visible_text import shell_quoted

# In a lake: where Great Expectations' pages begin.
DATA_DOCS = "data_docs/index.html"
FORMATS = ("text", "json", "html")


def print_report(
    settings: Settings, days: Set[dt.date], progress: Progress, *, ingested: Set[ClusterDay] = frozenset()
) -> bool:
    """Prints the report, and warnings about what it leaves out. `days` are days of delivery, empty for the newest event
    day; `ingested` are deliveries that this run took in. Returns whether a delivery is halted."""
    reader = LakeReader(settings)
    chosen = event_days(reader, days) if days else None
    option = "" if is_default_lake(settings.lake) else f" --lake {shell_quoted(settings.lake)}"
    print_findings(reader, chosen, progress, lake_option=option)
    # A delivery that is halted has been judged, and has no findings.
    judged = chosen | delivered(reader, days) if chosen is not None else set(group_counts(reader, None))
    print_rules(reader, judged, progress)
    files = lake_folder(settings)
    if files.modified_at(DATA_DOCS):
        progress.say(f"What every rule found, with samples: {files.address(DATA_DOCS)}")
    for warning in not_understood_warnings(reader, {*ingested, *(delivered(reader, days) if days else ())}):
        progress.warn(warning)
    halted = halted_deliveries(reader, days) if days else []
    for cluster, day in halted:
        progress.warn(f"These findings leave out the delivery of {day} for {cluster}: it is halted.")
    return bool(halted)


def report_text(settings: Settings, days: Set[dt.date], output_format: str) -> str:
    """The report in a format for programs or browsers."""
    reader = LakeReader(settings)
    groups = group_counts(reader, event_days(reader, days) if days else None)
    if output_format == "json":
        findings = [{name: as_json(value) for name, value in vars(row).items()} for row in findings_of(reader, groups)]
        return json.dumps(findings, ensure_ascii=False, indent=1) + "\n"
    if not groups:
        raise UsageError("there are no consumer groups on these days", "Name another day with --day")
    cluster, day = max(groups, key=lambda pair: (pair[1], groups[pair]))
    return day_file(_panel_answers(settings), cluster, day)


def write_report(text: str, path: str | None) -> None:
    """To the file, or to standard output."""
    if path is None:
        sys.stdout.write(text)
        return
    try:
        Path(path).write_text(text, "utf-8")
    except OSError as error:
        raise UsageError(f"{path} can't be written: {error.strerror}", "Name another file with --out") from error


def write_day_files(settings: Settings, days: Set[dt.date]) -> list[str]:
    """Writes each event day of the deliveries of `days`, or the newest one, as an HTML file into `reports` of the lake."""
    reader = LakeReader(settings)
    chosen = sorted(group_counts(reader, event_days(reader, days) or None))
    return [write_day_file(settings, cluster, day) for cluster, day in chosen]


def write_day_file(settings: Settings, cluster: str, day: dt.date) -> str:
    """Returns where it is."""
    files, path = lake_folder(settings), day_file_path(cluster, day)
    data_docs = f"../{DATA_DOCS}" if files.modified_at(DATA_DOCS) else None
    files.write(path, day_file(_panel_answers(settings), cluster, day, data_docs=data_docs).encode())
    return files.address(path)


def _panel_answers(settings: Settings) -> PanelAnswers:
    return PanelAnswers(settings.lake, settings.text("sql.memory"), settings.integer("sql.seconds"), settings.store)
