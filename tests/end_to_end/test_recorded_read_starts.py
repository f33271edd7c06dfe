"""gold.read_starts and silver.read_starts, compared with what the applications of the recordings noted."""

import datetime as dt
from collections import Counter, defaultdict
from typing import Any

import pytest
from pyspark.sql import Row
from support.recorded_clusters import CLIENTS_ONLY, OFFSETS_ONLY, WHOLE, TableRows

from benchmarks.accuracy import bounds_by_group, matched_starts
from benchmarks.journal_facts import JournalStart, journal_entries, journal_starts, polled_records
from spark_jobs.lake.tables import Lake

_EPOCH = dt.datetime(1970, 1, 1)


def as_dict(row: Row) -> dict[str, Any]:
    """The session's time zone is UTC."""
    return {**row.asDict(), "started_at": row.started_at.replace(tzinfo=dt.UTC)}


def milliseconds(at: dt.datetime) -> float:
    return (at.replace(tzinfo=None) - _EPOCH) / dt.timedelta(milliseconds=1)


def unread_ms(row: dict[str, Any]) -> float:
    return max(milliseconds(row["started_at"]) - milliseconds(row["stopped_at"]), 0) if row["stopped_at"] else 0


@pytest.fixture(scope="module")
def gold_starts(gold_lake: Lake) -> list[dict[str, Any]]:
    rows = [as_dict(row) for row in gold_lake.read("gold.read_starts").collect()]
    assert len(rows) > 300
    return rows


@pytest.mark.parametrize("cluster", [*WHOLE, *CLIENTS_ONLY])
def test_every_start_that_a_client_logged_is_a_row_and_no_other(table_rows: TableRows, cluster: str) -> None:
    rows, starts = logged_and_true(table_rows, cluster)
    pairs, missed, false = matched_starts(rows, starts)
    assert (len(pairs), missed, false) == (len(starts), 0, 0)


@pytest.mark.parametrize("cluster", [*WHOLE, *CLIENTS_ONLY])
def test_the_time_that_nobody_read_is_that_from_revoke_or_close_to_assign(table_rows: TableRows, cluster: str) -> None:
    rows, starts = logged_and_true(table_rows, cluster)
    pairs, _, _ = matched_starts(rows, starts)
    graceful = [(row, start) for row, start in pairs if start.stopped_by in ("revoked", "close")]
    assert len(graceful) > 100
    by_group = defaultdict(list)
    for row, start in graceful:
        by_group[row["group_id"]].append((unread_ms(row), start.unread_ms))
    for group, times in by_group.items():
        said, true = (sum(column) for column in zip(*times, strict=True))
        # A callback and the line about it are milliseconds apart.
        assert said == pytest.approx(true, rel=0.05, abs=10 * len(times)), group


def logged_and_true(table_rows: TableRows, cluster: str) -> tuple[list[dict[str, Any]], list[JournalStart]]:
    rows = [as_dict(row) for row in table_rows("silver.read_starts", cluster) if row.in_client_log]
    starts = list(journal_starts(journal_entries((WHOLE | CLIENTS_ONLY)[cluster])))
    assert len(starts) > 150
    return rows, starts


@pytest.mark.parametrize("cluster", OFFSETS_ONLY)
def test_records_alone_show_starts_and_claim_no_measured_time(table_rows: TableRows, cluster: str) -> None:
    rows = [as_dict(row) for row in table_rows("silver.read_starts", cluster)]
    assert len(rows) > 150
    assert not any(row["is_measured"] or row["in_client_log"] for row in rows)
    starts = {start.partition for start in journal_starts(journal_entries(OFFSETS_ONLY[cluster]))}
    read = {(row["group_id"], f"{row['topic']}-{row['partition_id']}") for row in rows}
    assert {pair for pair in read if not pair[0].startswith("console-consumer")} <= starts


def test_a_killed_member_is_unread_from_its_last_sign_of_life_within_a_heartbeat(
    gold_starts: list[dict[str, Any]],
) -> None:
    logged = [row for row in gold_starts if "client_log" in row["evidence"] and row["cause"] not in ("seek", "reset")]
    pairs, _, _ = matched_starts(logged, list(journal_starts(journal_entries("kafka-4.3"))))
    killed = [(row["unread_ms"] - start.unread_ms) for row, start in pairs if start.stopped_by == "kill"]
    assert len(killed) >= 4
    assert all(-100 <= more <= 3_000 for more in killed), killed


def test_records_polled_twice_lie_between_the_bounds_and_skipped_ones_are_exact(
    gold_starts: list[dict[str, Any]],
) -> None:
    polled = polled_records(journal_entries("kafka-4.3"))
    at_least, at_most, skipped, unbounded = bounds_by_group(gold_starts)
    assert polled.twice.total() > 2_000
    assert unbounded.isdisjoint(+polled.twice)
    outside = [group for group, twice in polled.twice.items() if not at_least[group] <= twice <= at_most[group]]
    assert outside == []
    assert +skipped == +polled.never != Counter()


def test_the_bounds_are_at_most_a_batch_apart_for_each_start(gold_starts: list[dict[str, Any]]) -> None:
    widths = [
        row["reprocessed_at_most"] - row["reprocessed_at_least"] for row in gold_starts if row["reprocessed_at_most"]
    ]
    assert len(widths) > 5
    assert max(widths) <= 500
