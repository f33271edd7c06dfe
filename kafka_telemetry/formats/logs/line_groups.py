"""Whose line it is that names no group: another line of the same file may tell.

A fenced static member is known by its member or instance id; that a static member's return starts no rebalance is said
right after its replacement; a consumer without its prefix is known by its voice. Lines that nothing told so far wait
for the end of the file.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.formats.logs.arrow_masks import Mask, codes, detail, last_before, mask, replaced, taken
from kafka_telemetry.formats.logs.unprefixed_clients import WHO, Voices

_ABOUT_A_GROUP = pa.array(
    [
        "member_fenced", "static_rejoined_quietly", "static_member_replaced", "position_set", "assignment_finished", "poll_timeout",
        "session_timed_out", "offset_reset", "joined", "heartbeat_failed", "heartbeat_stopped", "session_released",
        "left", "heartbeat_answered", "commit_failed", "elected_leader", "internal_assign_failed",
    ]
)  # fmt: skip
# A replacement is not looked for further back than among so many.
_REPLACEMENTS = 64


class Owners:
    def __init__(self) -> None:
        self._voices = Voices()
        self._groups_of: dict[str, list[pa.Table]] = {"member_id": [], "instance_id": []}
        self._clients: set[tuple[str | None, ...]] = set()
        self._replacements: pa.Table | None = None
        self._waiting: list[pa.Table] = []

    def told(self, lines: pa.Table) -> pa.Table:
        """The lines, with their groups as far as these are known; the others are kept back."""
        of_client = mask(pc.equal(lines["side"], "client"))
        if of_client.any():
            lines = self._voices.told(lines, of_client & _without_group(lines))
            clients = lines.filter(pa.array(of_client & mask(pc.is_valid(lines["group_id"])))).select(list(WHO))
            self._clients |= {tuple(row.values()) for row in clients.group_by(list(WHO)).aggregate([]).to_pylist()}
        for name, groups in self._groups_of.items():
            pairs = lines.select([name, "group_id"]).drop_null()
            groups.append(pairs.group_by([name, "group_id"]).aggregate([]))
        lines = self._by_id(self._after_replacement(lines))
        waits = _without_group(lines)
        if not waits.any():
            return lines
        self._waiting.append(lines.filter(pa.array(waits)))
        return lines.filter(pa.array(~waits))

    def waiting(self) -> pa.Table | None:
        """The lines kept back, when all others were told."""
        if not self._waiting:
            return None
        lines = self._by_id(pa.concat_tables(self._waiting))
        if len(self._clients) == 1:
            (only,) = self._clients
            alone = (
                _without_group(lines) & mask(pc.equal(lines["side"], "client")) & mask(pc.is_null(lines["client_id"]))
            )
            for name, value in zip(WHO, only, strict=True):
                lines = replaced(lines, name, alone, pa.scalar(value, pa.string()))
        return lines

    def _by_id(self, lines: pa.Table) -> pa.Table:
        asking = _without_group(lines)
        if not asking.any():
            return lines
        group = pc.coalesce(
            self._group_of("member_id", lines["member_id"].combine_chunks()),
            self._group_of("member_id", detail(lines, "current_member_id")),
            self._group_of("instance_id", lines["instance_id"].combine_chunks()),
        )
        return replaced(lines, "group_id", asking, group)

    def _group_of(self, name: str, asked: pa.Array) -> pa.Array:
        """Null where the id belongs to none or to several."""
        pairs = pa.concat_tables(self._groups_of[name]).group_by([name, "group_id"]).aggregate([])
        groups = pairs.group_by(name).aggregate([("group_id", "min"), ("group_id", "max")])
        groups = groups.filter(pc.equal(groups["group_id_min"], groups["group_id_max"])).combine_chunks()
        at = pc.index_in(asked, value_set=groups[name].combine_chunks(), skip_nulls=True)
        return groups["group_id_min"].combine_chunks().take(at)

    def _after_replacement(self, lines: pa.Table) -> pa.Table:
        before = self._replacements if self._replacements is not None else lines.slice(0, 0)
        everything = pa.concat_tables([before, lines]).combine_chunks()
        replacing = mask(pc.equal(everything["event"], "static_member_replaced"))
        quiet = mask(pc.equal(lines["event"], "static_rejoined_quietly"))
        if quiet.any():
            # The Java coordinator's prefix names the partition, so the two lines have it in common.
            place = codes(everything["offsets_partition"].combine_chunks())
            last = last_before(place, replacing)[len(before) :]
            for name in ("group_id", "instance_id"):
                lines = replaced(lines, name, quiet, taken(everything[name].combine_chunks(), last))
        found = np.flatnonzero(replacing)[-_REPLACEMENTS:]
        self._replacements = everything.take(pa.array(found))
        return lines


def _without_group(lines: pa.Table) -> Mask:
    """Lines that are about one group and don't name it."""
    return mask(pc.is_in(lines["event"], _ABOUT_A_GROUP)) & mask(pc.is_null(lines["group_id"]))
