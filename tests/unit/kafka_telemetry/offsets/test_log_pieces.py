"""Spilled rows of a log: readers get all rows that match their filter, and only the requested columns."""

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from kafka_telemetry.offsets.log_pieces import spill_tables
from kafka_telemetry.spill import RowFilter, Spill, read_filtered

ROWS = {
    "kind": ["commit", "group", "commit", "commit"],
    "transaction": ["none", "none", "open", "none"],
    "newest": [False, None, False, True],
    "furthest": [False, False, False, True],
    "tombstone": [False, False, False, None],
    "lost_before": [0, None, 3, None],
    "group_id": ["a", "b", "c", "d"],
}


@pytest.fixture(params=["inline", "in_a_folder"])
def spill(request: pytest.FixtureRequest, tmp_path: Path) -> Spill:
    return Spill(str(tmp_path) if request.param == "in_a_folder" else None)


def groups(spill: Spill, where: RowFilter | None) -> list[str]:
    pieces = list(spill_tables([pa.table(ROWS)], list(ROWS), spill))
    rows = [row for batch in read_filtered(pieces, ["group_id"], where, spill) for row in batch.to_pylist()]
    assert all(row.keys() == {"group_id"} for row in rows)
    return sorted(row["group_id"] for row in rows)


def test_every_matching_row_is_read_back_whether_there_are_many_or_none(spill: Spill) -> None:
    assert groups(spill, None) == ["a", "b", "c", "d"]
    assert groups(spill, RowFilter(pc.field("kind") == "commit", ("kind",))) == ["a", "c", "d"]
    assert groups(spill, RowFilter(pc.field("newest"), ("newest",))) == ["d"]
    assert groups(spill, RowFilter(pc.field("lost_before") > 7, ("lost_before",))) == []


def test_row_filters_can_be_combined(spill: Spill) -> None:
    commit = RowFilter(pc.field("kind") == "commit", ("kind",))
    settled = RowFilter(pc.field("transaction") == "none", ("transaction",))
    assert groups(spill, commit.and_(settled)) == ["a", "d"]
    assert groups(spill, commit.and_(settled.negated())) == ["c"]
    assert groups(spill, commit.or_(settled)) == ["a", "b", "c", "d"]
