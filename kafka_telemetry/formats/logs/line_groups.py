"""Finds the group of lines that do not name it, from other lines of the same file.

A fenced static member is known by its member or instance id. The line about a static member that returns without a
rebalance follows the line about its replacement. A consumer that logs without a prefix is found by `unprefixed_clients`.
Lines whose group is still unknown are held back until the end of the file.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Flags
from kafka_telemetry.formats.logs.arrow_masks import (
    detail_column,
    key_codes,
    last_marked_row,
    mask,
    take_or_null,
    with_column_replaced,
)
from kafka_telemetry.formats.logs.unprefixed_clients import CLIENT_IDS, ClientFinder

_EVENTS_OF_ONE_GROUP = pa.array(
    [
        "member_fenced", "static_rejoined_quietly", "static_member_replaced", "position_set", "assignment_finished", "poll_timeout",
        "session_timed_out", "offset_reset", "joined", "heartbeat_failed", "heartbeat_stopped", "session_released",
        "left", "heartbeat_answered", "commit_failed", "elected_leader", "internal_assign_failed",
    ]
)  # fmt: skip
_REMEMBERED_REPLACEMENTS = 64


class GroupFinder:
    """Remembers the members and clients of a file's earlier lines. Lines must be passed in their order."""

    def __init__(self) -> None:
        self._client_finder = ClientFinder()
        self._groups_of: dict[str, list[pa.Table]] = {"member_id": [], "instance_id": []}
        self._clients: set[tuple[str | None, ...]] = set()
        self._replacements: pa.Table | None = None
        self._held_back: list[pa.Table] = []

    def fill_groups(self, lines: pa.Table) -> pa.Table:
        """Returns the lines with their groups, without those that are held back."""
        of_client = mask(pc.equal(lines["side"], "client"))
        if of_client.any():
            lines = self._client_finder.fill_clients(lines, of_client & _lacks_group(lines))
            clients = lines.filter(pa.array(of_client & mask(pc.is_valid(lines["group_id"])))).select(CLIENT_IDS)
            self._clients |= {tuple(row.values()) for row in clients.group_by(CLIENT_IDS).aggregate([]).to_pylist()}
        for name, groups in self._groups_of.items():
            pairs = lines.select([name, "group_id"]).drop_null()
            groups.append(pairs.group_by([name, "group_id"]).aggregate([]))
        lines = self._fill_by_id(self._fill_by_replacement(lines))
        lacks_group = _lacks_group(lines)
        if not lacks_group.any():
            return lines
        self._held_back.append(lines.filter(pa.array(lacks_group)))
        return lines.filter(pa.array(~lacks_group))

    def held_back(self) -> pa.Table | None:
        """Returns the lines held back, with the groups that the whole file reveals."""
        if not self._held_back:
            return None
        lines = self._fill_by_id(pa.concat_tables(self._held_back))
        if len(self._clients) == 1:
            (only_client,) = self._clients
            of_unknown_client = (
                _lacks_group(lines) & mask(pc.equal(lines["side"], "client")) & mask(pc.is_null(lines["client_id"]))
            )
            for name, value in zip(CLIENT_IDS, only_client, strict=True):
                lines = with_column_replaced(lines, name, of_unknown_client, pa.scalar(value, pa.string()))
        return lines

    def _fill_by_id(self, lines: pa.Table) -> pa.Table:
        lacks_group = _lacks_group(lines)
        if not lacks_group.any():
            return lines
        group = pc.coalesce(
            self._group_of("member_id", lines["member_id"].combine_chunks()),
            self._group_of("member_id", detail_column(lines, "current_member_id")),
            self._group_of("instance_id", lines["instance_id"].combine_chunks()),
        )
        return with_column_replaced(lines, "group_id", lacks_group, group)

    def _group_of(self, name: str, ids: pa.Array) -> pa.Array:
        """Returns the only group of each id, null if it has none or several."""
        pairs = pa.concat_tables(self._groups_of[name]).group_by([name, "group_id"]).aggregate([])
        groups = pairs.group_by(name).aggregate([("group_id", "min"), ("group_id", "max")])
        groups = groups.filter(pc.equal(groups["group_id_min"], groups["group_id_max"])).combine_chunks()
        row = pc.index_in(ids, value_set=groups[name].combine_chunks(), skip_nulls=True)
        return groups["group_id_min"].combine_chunks().take(row)

    def _fill_by_replacement(self, lines: pa.Table) -> pa.Table:
        """Gives static members that return without a rebalance the group and instance id of the last replacement."""
        before = self._replacements if self._replacements is not None else lines.slice(0, 0)
        all_lines = pa.concat_tables([before, lines]).combine_chunks()
        is_replacement = mask(pc.equal(all_lines["event"], "static_member_replaced"))
        is_return = mask(pc.equal(lines["event"], "static_rejoined_quietly"))
        if is_return.any():
            # The prefix of the Java coordinator contains the offsets partition, so the two lines have it in common.
            partition = key_codes(all_lines["offsets_partition"].combine_chunks())
            replacement = last_marked_row(partition, is_replacement)[len(before) :]
            for name in ("group_id", "instance_id"):
                values = take_or_null(all_lines[name].combine_chunks(), replacement)
                lines = with_column_replaced(lines, name, is_return, values)
        remembered = np.flatnonzero(is_replacement)[-_REMEMBERED_REPLACEMENTS:]
        self._replacements = all_lines.take(pa.array(remembered))
        return lines


def _lacks_group(lines: pa.Table) -> Flags:
    """Marks lines that are about one group and do not name it."""
    return mask(pc.is_in(lines["event"], _EVENTS_OF_ONE_GROUP)) & mask(pc.is_null(lines["group_id"]))
