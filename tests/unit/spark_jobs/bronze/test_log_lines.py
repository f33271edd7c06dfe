"""How landed logs become rows of bronze.log_lines: kinds, event days, time zones, and log layouts from the settings."""

import datetime as dt
import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import schemas
from spark_jobs.bronze.log_lines import SOURCE
from spark_jobs.bronze.parse import FileReceipt, parse_file
from spark_jobs.landing import list_landing
from spark_jobs.settings import load

CLIENT = "[Consumer clientId=app-1, groupId=orders] "
ADDING = CLIENT + "Adding newly assigned partitions: a-0, a-1"
LOGGER = "org.apache.kafka.clients.consumer.internals.ConsumerRebalanceListenerInvoker"
BROKER_LOGGER = "kafka.coordinator.group.GroupCoordinator"
STABILIZED = "[GroupCoordinator 1]: Stabilized group orders generation 3 (__consumer_offsets-7) with 2 members"


def line(time: str, message: str, logger: str = LOGGER) -> str:
    return f"[{time}] INFO {message} ({logger})\n"


def landed(
    tmp_path: Path, text: str | bytes, *, place: str = "broker-1/server.log", settings: str = ""
) -> tuple[list[dict[str, Any]], FileReceipt]:
    """The rows and the receipt of a log delivered on 2026-11-18."""
    file = tmp_path / "landing" / "group_logs" / "cluster=c" / "date=2026-11-18" / place
    file.parent.mkdir(parents=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    settings_file = tmp_path / "lagoon.toml"
    settings_file.write_text(settings)
    loaded = load(file=str(settings_file), landing=str(tmp_path / "landing"), environment={})
    receipts: list[FileReceipt] = []
    rows: list[dict[str, Any]] = []
    for batch in parse_file(loaded, list_landing(loaded.landing).files[0], SOURCE, receipts.append):
        assert batch.schema.names == schemas.table(SOURCE.table).column_names
        rows += pa.Table.from_batches([batch]).to_pylist()
    [receipt] = receipts
    return sorted(rows, key=lambda row: row["source_position"]), receipt


def test_a_line_becomes_a_row_with_its_source(tmp_path: Path) -> None:
    [row], _ = landed(tmp_path, line("2026-11-17 23:59:58,120", STABILIZED, BROKER_LOGGER))
    assert {name: value for name, value in row.items() if value not in (None, [])} == {
        "cluster": "c",
        "delivered_on": dt.date(2026, 11, 18),
        "day": dt.date(2026, 11, 17),
        "source_file": "group_logs/cluster=c/date=2026-11-18/broker-1/server.log",
        "source_position": 1,
        "kind": "event",
        "origin": "broker-1",
        "side": "broker",
        "happened_at": dt.datetime(2026, 11, 17, 23, 59, 58, 120000, tzinfo=dt.UTC),
        "level": "INFO",
        "logger": BROKER_LOGGER,
        "event": "stabilized",
        "group_id": "orders",
        "generation": 3,
        "offsets_partition": 7,
        "details": [("broker_id", "1"), ("member_count", "2")],
        "text": STABILIZED,
    }


def test_a_file_directly_below_the_date_has_no_origin(tmp_path: Path) -> None:
    [row], _ = landed(tmp_path, line("2026-11-18 10:00:00,000", ADDING), place="app.log")
    assert row["origin"] is None


def test_events_configs_and_unknown_lines_are_kinds_of_rows_and_other_lines_are_only_counted(tmp_path: Path) -> None:
    at = "2026-11-18 10:00:00,000"
    rows, parsed = landed(
        tmp_path,
        line(at, "Completed load of log with 1 segments", "kafka.log.UnifiedLog")
        + line(at, ADDING)
        + f"[{at}] INFO ConsumerConfig values: \n\tgroup.id = orders\n\tclient.id = app-1\n"
        + " (org.apache.kafka.clients.consumer.ConsumerConfig)\n"
        + line(at, "[GroupCoordinator 1]: A message of an unknown version", BROKER_LOGGER)
        + line(at, "Kafka version: 4.3.0", "org.apache.kafka.common.utils.AppInfoParser"),
    )
    assert [(row["source_position"], row["kind"], row["group_id"]) for row in rows] == [
        (2, "event", "orders"),
        (3, "config", "orders"),
        (7, "unknown", None),
    ]
    assert dict(rows[1]["settings"]) == {"group.id": "orders", "client.id": "app-1"}
    receipt = parsed.receipt
    assert (receipt.records, receipt.understood, receipt.not_understood, receipt.ignored) == (5, 2, 1, 2)
    day = dt.date(2026, 11, 18)
    assert parsed.rows == {(day, "event"): 1, (day, "config"): 1, (day, "unknown"): 1}


def test_a_stack_trace_belongs_to_the_line_before_it(tmp_path: Path) -> None:
    trace = "java.lang.IllegalStateException: no\n\tat a.B.c(B.java:1)"
    text = line("2026-11-18 10:00:00,000", CLIENT + "Offset commit failed: no", LOGGER) + trace + "\n"
    rows, _ = landed(tmp_path, text + line("2026-11-18 10:00:01,000", ADDING))
    assert [row["text"] for row in rows if row["event"] == "partitions_assigned"] == [ADDING]
    others = [row["text"] for row in rows if row["event"] != "partitions_assigned"]
    assert all(text.endswith(trace) for text in others)


def test_a_line_without_a_time_has_the_day_of_the_line_before_it(tmp_path: Path) -> None:
    rows, _ = landed(
        tmp_path,
        line("2026-11-16 23:00:00,000", ADDING)
        # The date does not exist. The line does not name its group, so the reader holds it back to the end of the file.
        + line("2026-02-30 10:00:00,000", "[GroupCoordinator 1]: Static member x is fenced by y", BROKER_LOGGER)
        + line("2026-02-30 10:00:00,000", ADDING)
        + line("2026-11-18 01:00:00,000", ADDING),
    )
    assert [(row["source_position"], row["day"].day, row["happened_at"] is None) for row in rows] == [
        (1, 16, False),
        (2, 16, True),
        (3, 16, True),
        (4, 18, False),
    ]


def test_a_line_without_any_time_before_it_has_the_day_of_delivery(tmp_path: Path) -> None:
    rows, _ = landed(tmp_path, f"something\n{ADDING}\n")
    assert [(row["day"], row["happened_at"]) for row in rows] == [(dt.date(2026, 11, 18), None)]


def test_a_clock_that_falls_starts_a_new_day_and_an_impossible_time_has_the_day_before_it(tmp_path: Path) -> None:
    def logged(time: str) -> str:
        return f"{time} [main] INFO  {LOGGER} - {ADDING}\n"

    rows, _ = landed(tmp_path, logged("23:50:00.000") + logged("23:60:00.000") + logged("00:10:00.000"))
    assert [(row["day"].day, row["happened_at"] is None) for row in rows] == [(17, False), (17, True), (18, False)]


@pytest.mark.parametrize(("zone", "day", "hour"), [("Europe/Berlin", 17, 23), ("Asia/Tokyo", 17, 15), ("UTC", 18, 0)])
def test_times_are_in_the_zone_of_their_cluster(tmp_path: Path, zone: str, day: int, hour: int) -> None:
    settings = f'[clusters.c]\ntimezone = "{zone}"'
    [row], _ = landed(tmp_path, line("2026-11-18 00:30:00,000", ADDING), settings=settings)
    assert (row["day"].day, row["happened_at"].hour) == (day, hour)


def test_the_zone_of_another_cluster_has_no_effect(tmp_path: Path) -> None:
    settings = '[clusters.other]\ntimezone = "Asia/Tokyo"'
    [row], _ = landed(tmp_path, line("2026-11-18 00:30:00,000", ADDING), settings=settings)
    assert row["happened_at"].hour == 0


def test_a_pattern_from_the_settings_is_a_log_layout(tmp_path: Path) -> None:
    text = f"2026-11-17T10:00:00Z|I|{LOGGER}|{ADDING}\n2026-11-17T10:00:01Z|I|a.B|else\n"
    pattern = r"[logs.patterns]" + "\nbatch = '^(?P<time>[^|]*)\\|(?P<level>[A-Z])\\|(?P<logger>[^|]*)\\|'"
    [row], parsed = landed(tmp_path, text, settings=pattern)
    assert (row["happened_at"].day, row["level"], row["logger"], row["text"]) == (17, "I", LOGGER, ADDING)
    assert (parsed.receipt.format, parsed.receipt.records) == ("log: batch of the site", 2)


def test_a_truncated_file_yields_the_rows_before_its_end(tmp_path: Path) -> None:
    whole = gzip.compress(b"".join(line("2026-11-18 10:00:00,000", f"{ADDING}{n}").encode() for n in range(9000)))
    rows, parsed = landed(tmp_path, whole[: len(whole) // 2], place="broker-1/server.log.gz")
    assert 1000 < len(rows) < 9000
    assert parsed.problem is not None
    assert parsed.problem.startswith("read only in part")
