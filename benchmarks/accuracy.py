"""Compares gold of the recordings with what their applications noted, and writes docs/accuracy.md.

    python -m benchmarks.accuracy > docs/accuracy.md

A lake is built from all recordings, each as a cluster of its own. Every figure of the page comes from that lake and from the
journals, in which the applications noted every poll, commit and assignment.
"""

import datetime as dt
import json
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.journal_facts import (
    RECORDED,
    RECORDINGS,
    Entry,
    JournalStart,
    journal_entries,
    journal_starts,
    polled_records,
)
from benchmarks.journal_warnings import COMPARED_BY, JUSTIFIED, Warned
from expectations.rules import RULES

Row = Mapping[str, Any]
_LAGOON = Path(sys.executable).parent / "lagoon"
# The clocks of a callback and of the line that the client logs about it.
_SAME_START_WITHIN_MS = 500
_OPENING = """# How accurate the numbers are

Made by `python -m benchmarks.accuracy` from the bundled recordings: real brokers, clients and tools, and a journal in which
the applications noted every poll, commit and assignment. `gold` never sees the journal.

Of the rules that warn, the tables compare those that a journal can judge. A rule that looks back sees only accepted commits, so it
finds no step back from a position that is in quarantine; and most clients log no offset with a commit that failed, so
`last_commit_before_leaving` misses a last commit of which nothing but the failure is known.
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        landing, lake = f"{folder}/landing", f"{folder}/lake"
        for recording in RECORDINGS:
            subprocess.run([sys.executable, RECORDED / "landing.py", recording, landing, recording], check=True)
        subprocess.run([_LAGOON, "run", "-q", "--landing", landing, "--lake", lake], stdout=sys.stderr, check=False)
        starts = _query(lake, "select * from gold.read_starts")
        warned = warnings_by_rule(lake)
    rows = [{**row, "started_at": dt.datetime.fromisoformat(row["started_at"])} for row in starts]
    rows_of: dict[str, Sequence[Row]] = {
        recording: [row for row in rows if row["cluster"] == recording] for recording in RECORDINGS
    }
    print(page(rows_of, warned), end="")


def _query(lake: str, query: str) -> list[dict[str, Any]]:
    command: list[str | Path] = [_LAGOON, "sql", query, "--format", "json", "--lake", lake]
    found: list[dict[str, Any]] = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    return found


def warnings_by_rule(lake: str) -> dict[tuple[str, str], set[Warned]]:
    """What broke each rule that journals can judge, by recording and rule."""
    found: dict[tuple[str, str], set[Warned]] = defaultdict(set)
    for name, columns in COMPARED_BY.items():
        [rule] = [rule for rule in RULES if rule.name == name]
        for row in _query(lake, f"select distinct cluster, {columns} from {rule.table} where {rule.sql}"):
            cluster, *key = row.values()
            found[cluster, name].add(tuple(key))
    names = [name for name in JUSTIFIED if name not in COMPARED_BY]
    listed = ", ".join(f"'{name}'" for name in names)
    for row in _query(lake, f"select cluster, rule, broken from quality.rule_results where rule in ({listed})"):
        found[row["cluster"], row["rule"]] |= {("row", number) for number in range(row["broken"])}
    return found


def page(rows_of: dict[str, Sequence[Row]], warned: Mapping[tuple[str, str], set[Warned]]) -> str:
    lines = [_OPENING]
    for recording, rows in rows_of.items():
        entries = journal_entries(recording)
        lines += [f"## {recording}", "", *starts_table(rows, entries), "", *records_table(rows, entries), ""]
        lines += [*warnings_table({name: warned[recording, name] for name in JUSTIFIED}, entries), ""]
    return "\n".join(lines)


def starts_table(rows: Sequence[Row], entries: Sequence[Entry]) -> Iterator[str]:
    """Starts of reading that clients logged, and for how long partitions were not read."""
    logged = [row for row in rows if "client_log" in row["evidence"] and row["cause"] not in ("seek", "reset")]
    pairs, missed, false = matched_starts(logged, list(journal_starts(entries)))
    yield "| | journal | right | missed | false |"
    yield "| --- | --- | --- | --- | --- |"
    yield f"| starts of reading | {len(pairs) + missed} | {len(pairs)} | {missed} | {false} |"
    yield ""
    yield "| reader before | starts | not read, by the journal | not read, by `unread_ms` |"
    yield "| --- | --- | --- | --- |"
    for stopped_by in ("revoked", "close", "kill"):
        times = [(start.unread_ms, row["unread_ms"] or 0) for row, start in pairs if start.stopped_by == stopped_by]
        if times:
            true, said = (sum(column) / 1000 for column in zip(*times, strict=True))
            yield f"| {stopped_by} | {len(times)} | {true:.1f} s | {said:.1f} s |"


def records_table(rows: Sequence[Row], entries: Sequence[Entry]) -> Iterator[str]:
    """Records that were polled twice or never, by group, where there are any."""
    polled = polled_records(entries)
    at_least, at_most, skipped, unbounded = bounds_by_group(rows)
    yield "| group | polled twice | `reprocessed_at_least` | `reprocessed_at_most` | never polled | `skipped` |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for group in sorted({*polled.twice, *at_most, *skipped}):
        numbers = polled.twice[group], at_least[group], at_most[group], polled.never[group], skipped[group]
        if any(numbers):
            shown = [f"{number:,}" for number in numbers]
            shown[2] += " + unknown" if group in unbounded else ""
            yield f"| {group} | {' | '.join(shown)} |"
    totals = (polled.twice, at_least, at_most, polled.never, skipped)
    yield f"| **all** | {' | '.join(f'{total.total():,}' for total in totals)} |"


def warnings_table(warned: Mapping[str, set[Warned]], entries: Sequence[Entry]) -> Iterator[str]:
    """Warnings that the journal justifies, by rule, and those that were missed or are false."""
    yield "| rule that warns | justified by the journal | right | missed | false |"
    yield "| --- | --- | --- | --- | --- |"
    for name, found in warned.items():
        justified = set(JUSTIFIED[name](entries))
        missed, false = (_listed(keys) for keys in (justified - found, found - justified))
        yield f"| `{name}` | {len(justified)} | {len(justified & found)} | {missed} | {false} |"


def _listed(keys: set[Warned]) -> str:
    texts = sorted(" ".join(map(str, key)) for key in keys)
    return f"{len(texts)}: {', '.join(texts)}" if texts else "0"


class Bounds(NamedTuple):
    """Sums of all starts of reading by group. `unbounded` are the groups with a start whose upper bound is unknown."""

    at_least: Counter[str]
    at_most: Counter[str]
    skipped: Counter[str]
    unbounded: set[str]


def bounds_by_group(rows: Sequence[Row]) -> Bounds:
    bounds = Bounds(Counter(), Counter(), Counter(), set())
    for row in rows:
        bounds.at_least[row["group_id"]] += row["reprocessed_at_least"] or 0
        bounds.at_most[row["group_id"]] += row["reprocessed_at_most"] or 0
        bounds.skipped[row["group_id"]] += row["skipped"] or 0
        if row["reprocessed_at_most"] is None:
            bounds.unbounded.add(row["group_id"])
    return bounds


def matched_starts(
    rows: Sequence[Row], starts: Sequence[JournalStart]
) -> tuple[list[tuple[Row, JournalStart]], int, int]:
    """Each row with its start in the journal, the number of starts without a row, and of rows without a start."""
    waiting = defaultdict(list)
    for start in starts:
        waiting[start.partition].append(start)
    pairs = []
    for row in rows:
        at = row["started_at"].timestamp() * 1000
        same = waiting[row["group_id"], f"{row['topic']}-{row['partition_id']}"]
        nearest = min(same, key=lambda start: abs(start.at - at), default=None)
        if nearest is not None and abs(nearest.at - at) <= _SAME_START_WITHIN_MS:
            same.remove(nearest)
            pairs.append((row, nearest))
    return pairs, sum(map(len, waiting.values())), len(rows) - len(pairs)


if __name__ == "__main__":
    main()
