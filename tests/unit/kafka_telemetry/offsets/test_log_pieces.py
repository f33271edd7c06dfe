"""What lies on a spill: all of it comes back, and no more than is asked for."""

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


@pytest.fixture(params=["travels", "in_a_folder"])
def spill(request: pytest.FixtureRequest, tmp_path: Path) -> Spill:
    return Spill(str(tmp_path) if request.param == "in_a_folder" else None)


def groups(spill: Spill, wanted: RowFilter | None) -> list[str]:
    pieces = list(spill_tables([pa.table(ROWS)], list(ROWS), spill))
    found = [row for batch in read_filtered(pieces, ["group_id"], wanted, spill) for row in batch.to_pylist()]
    assert all(row.keys() == {"group_id"} for row in found)
    return sorted(row["group_id"] for row in found)


def test_rows_come_back_whether_they_are_many_or_few(spill: Spill) -> None:
    assert groups(spill, None) == ["a", "b", "c", "d"]
    assert groups(spill, RowFilter(pc.field("kind") == "commit", ("kind",))) == ["a", "c", "d"]
    assert groups(spill, RowFilter(pc.field("newest"), ("newest",))) == ["d"]
    assert groups(spill, RowFilter(pc.field("lost_before") > 7, ("lost_before",))) == []


def test_what_is_wanted_can_be_put_together(spill: Spill) -> None:
    commit = RowFilter(pc.field("kind") == "commit", ("kind",))
    settled = RowFilter(pc.field("transaction") == "none", ("transaction",))
    assert groups(spill, commit.and_(settled)) == ["a", "d"]
    assert groups(spill, commit.and_not(settled)) == ["c"]
    assert groups(spill, commit.or_(settled)) == ["a", "b", "c", "d"]
