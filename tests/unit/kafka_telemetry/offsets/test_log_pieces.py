"""What lies on a shelf: all of it comes back, and no more than is asked for."""

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from kafka_telemetry.offsets.log_pieces import kept
from kafka_telemetry.spill import Shelf, Wanted, asked

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
def shelf(request: pytest.FixtureRequest, tmp_path: Path) -> Shelf:
    return Shelf(str(tmp_path) if request.param == "in_a_folder" else None)


def groups(shelf: Shelf, wanted: Wanted | None) -> list[str]:
    pieces = list(kept([pa.table(ROWS)], list(ROWS), shelf))
    found = [row for batch in asked(pieces, ["group_id"], wanted, shelf) for row in batch.to_pylist()]
    assert all(row.keys() == {"group_id"} for row in found)
    return sorted(row["group_id"] for row in found)


def test_rows_come_back_whether_they_are_many_or_few(shelf: Shelf) -> None:
    assert groups(shelf, None) == ["a", "b", "c", "d"]
    assert groups(shelf, Wanted(pc.field("kind") == "commit", ("kind",))) == ["a", "c", "d"]
    assert groups(shelf, Wanted(pc.field("newest"), ("newest",))) == ["d"]
    assert groups(shelf, Wanted(pc.field("lost_before") > 7, ("lost_before",))) == []


def test_what_is_wanted_can_be_put_together(shelf: Shelf) -> None:
    commit = Wanted(pc.field("kind") == "commit", ("kind",))
    settled = Wanted(pc.field("transaction") == "none", ("transaction",))
    assert groups(shelf, commit.and_(settled)) == ["a", "d"]
    assert groups(shelf, commit.but(settled)) == ["c"]
    assert groups(shelf, commit.or_(settled)) == ["a", "b", "c", "d"]
