"""What the sources report about each group on some days: its log lines in the order of time, and its generations."""

import itertools
import operator
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import combined_codes, integers, run_starts, value_codes, value_ranks
from kafka_telemetry.groups.history.log_event import LogEvent
from kafka_telemetry.groups.history.recorded_generation import MemberIdentity, RecordedGeneration
from kafka_telemetry.groups.reading.owner_change import OwnerChange
from spark_jobs.silver.inputs.row_by_row import day_number

_GROUP = ("cluster", "group_id")
# The columns of silver.group_events that a LogEvent has, in its order.
_EVENT = ("side", "event", "member_id", "client_id", "instance_id", "generation", "reason", "reason_text")
LINE_COLUMNS = (*_GROUP, "day", "happened_at", *_EVENT, "details", "text", "origin", "source_position")
# How many lines are turned into Python objects at a time.
_LINES_AT_ONCE = 20_000


@dataclass
class GroupObservations:
    """By day (counted from 1970): log lines, recorded generations, changes of owners. `state` is that of the history before the days."""

    cluster: str
    group_id: str
    events: dict[int, list[LogEvent]] = field(default_factory=lambda: defaultdict(list))
    recorded: dict[int, list[RecordedGeneration]] = field(default_factory=lambda: defaultdict(list))
    owner_changes: dict[int, list[OwnerChange]] = field(default_factory=lambda: defaultdict(list))
    state: str | None = None


def observations_by_group(tables: Iterable[tuple[str, pa.Table]]) -> Iterator[GroupObservations]:
    """From tables of lines, recorded generations and states (`story`), in any order."""
    groups: dict[tuple[str, str], GroupObservations] = {}
    lines = []
    for kind, rows in tables:
        if kind == "line":
            lines.append(rows)
            continue
        for row in rows.to_pylist():
            key = row["cluster"], row["group_id"]
            group = groups.setdefault(key, GroupObservations(*key))
            if kind == "story":
                group.state = row["story"]
            elif kind == "owner":
                group.owner_changes[day_number(row["day"])].append(_owner_change(row["change"]))
            else:
                group.recorded[day_number(row["day"])].append(_recorded_generation(row["recorded"]))
    for key, events in _events_by_group(pa.concat_tables(lines).combine_chunks()) if lines else ():
        group = groups.pop(key) if key in groups else GroupObservations(*key)
        for _, day, event in events:
            group.events[day].append(event)
        yield group
    yield from groups.values()


def _events_by_group(lines: pa.Table) -> Iterator[tuple[tuple[str, str], Iterable[tuple[object, int, LogEvent]]]]:
    """The lines of each group in the order of time; at one time in the order of their files."""
    origin = value_ranks(lines["origin"])
    # Files without an origin come first.
    origin[lines["origin"].is_null().to_numpy()] = -1
    group = combined_codes(value_codes(lines["cluster"]), value_codes(lines["group_id"]))
    order = np.lexsort((integers(lines["source_position"]), origin, integers(lines["happened_at"]), group))
    lines = lines.take(pa.array(order))
    cuts = [0]
    for start in np.flatnonzero(run_starts(group[order])).tolist():
        if start - cuts[-1] >= _LINES_AT_ONCE:
            cuts.append(start)
    for start, end in itertools.pairwise([*cuts, len(lines)]):
        yield from itertools.groupby(_events(lines.slice(start, end - start)), key=operator.itemgetter(0))


def _events(lines: pa.Table) -> Iterator[tuple[tuple[str, str], int, LogEvent]]:
    """Each line as an event, with its group and its day."""
    column = {name: lines[name].to_pylist() for name in (*_GROUP, *_EVENT, "details", "origin")}
    of_share = pc.starts_with(lines["text"], "[ShareConsumer ").to_pylist()
    times, days = integers(lines["happened_at"]).tolist(), integers(lines["day"]).tolist()
    groups = zip(*(column[name] for name in _GROUP), strict=True)
    fields = zip(*(column[name] for name in _EVENT), strict=True)
    for group, day, at, values, details, is_share, origin in zip(
        groups, days, times, fields, column["details"], of_share, column["origin"], strict=True
    ):
        yield group, day, LogEvent._make((at, *values, dict(details or ()), "share" if is_share else None, origin))


def _recorded_generation(row: Mapping[str, Any]) -> RecordedGeneration:
    members = {
        member["member_id"]: MemberIdentity(
            member["client_id"],
            member["client_host"],
            member["instance_id"],
            member["session_timeout_ms"],
            tuple(member["replaces"] or ()),
        )
        for member in sorted(row["members"] or [], key=lambda member: str(member["member_id"]))
    }
    # Without a count the record was printed by a tool that leaves the members out.
    are_known = row["member_count"] is not None
    columns = {name: value for name, value in row.items() if name not in ("members", "member_count")}
    return RecordedGeneration(members=members if are_known else None, **columns)


def _owner_change(row: Mapping[str, Any]) -> OwnerChange:
    owners = {
        (held["topic"], number): None if held["member_id"] is None else (held["member_id"], held["client_id"])
        for held in row["held"]
        for number in held["partitions"]
    }
    return OwnerChange(
        row["since"], row["record_offset"] or 0, row["incarnation"], row["generation"], row["group_type"], owners
    )
