"""What of a landed log becomes rows, on which day, and what a site can say of its logs."""

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
    """The rows and the receipt of a log that was delivered on 2026-11-18."""
    file = tmp_path / "landing" / "group_logs" / "cluster=c" / "date=2026-11-18" / place
    file.parent.mkdir(parents=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    told = tmp_path / "lagoon.toml"
    told.write_text(settings)
    chosen = load(file=str(told), landing=str(tmp_path / "landing"), environment={})
    done: list[FileReceipt] = []
    rows: list[dict[str, Any]] = []
    for batch in parse_file(chosen, list_landing(chosen.landing).files[0], SOURCE, done.append):
        assert batch.schema.names == schemas.table(SOURCE.table).column_names
        rows += pa.Table.from_batches([batch]).to_pylist()
    [receipt] = done
    return sorted(rows, key=lambda row: row["source_position"]), receipt


def test_a_line_is_a_row_that_says_where_it_came_from(tmp_path: Path) -> None:
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


def test_a_file_in_no_folder_has_no_origin(tmp_path: Path) -> None:
    [row], _ = landed(tmp_path, line("2026-11-18 10:00:00,000", ADDING), place="app.log")
    assert row["origin"] is None


def test_events_configs_and_unknown_lines_are_kept_apart_and_all_else_is_counted_only(tmp_path: Path) -> None:
    at = "2026-11-18 10:00:00,000"
    rows, done = landed(
        tmp_path,
        line(at, "Completed load of log with 1 segments", "kafka.log.UnifiedLog")
        + line(at, ADDING)
        + f"[{at}] INFO ConsumerConfig values: \n\tgroup.id = orders\n\tclient.id = app-1\n"
        + " (org.apache.kafka.clients.consumer.ConsumerConfig)\n"
        + line(at, "[GroupCoordinator 1]: Something that nobody has seen yet", BROKER_LOGGER)
        + line(at, "Kafka version: 4.3.0", "org.apache.kafka.common.utils.AppInfoParser"),
    )
    assert [(row["source_position"], row["kind"], row["group_id"]) for row in rows] == [
        (2, "event", "orders"),
        (3, "config", "orders"),
        (7, "unknown", None),
    ]
    assert dict(rows[1]["settings"]) == {"group.id": "orders", "client.id": "app-1"}
    receipt = done.receipt
    assert (receipt.records, receipt.understood, receipt.not_understood, receipt.ignored) == (5, 2, 1, 2)
    day = dt.date(2026, 11, 18)
    assert done.rows == {(day, "event"): 1, (day, "config"): 1, (day, "unknown"): 1}


def test_what_follows_a_line_stays_with_it(tmp_path: Path) -> None:
    trace = "java.lang.IllegalStateException: no\n\tat a.B.c(B.java:1)"
    text = line("2026-11-18 10:00:00,000", CLIENT + "Offset commit failed: no", LOGGER) + trace + "\n"
    rows, _ = landed(tmp_path, text + line("2026-11-18 10:00:01,000", ADDING))
    assert [row["text"] for row in rows if row["event"] == "partitions_assigned"] == [ADDING]
    others = [row["text"] for row in rows if row["event"] != "partitions_assigned"]
    assert all(text.endswith(trace) for text in others)


def test_a_line_without_a_time_is_of_the_day_of_the_line_before_it(tmp_path: Path) -> None:
    rows, _ = landed(
        tmp_path,
        line("2026-11-16 23:00:00,000", ADDING)
        # Nothing in it names its group, so the reader keeps it back to the end of the file; and there is no such day.
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


def test_a_line_that_follows_no_time_is_of_the_day_of_delivery(tmp_path: Path) -> None:
    rows, _ = landed(tmp_path, f"something\n{ADDING}\n")
    assert [(row["day"], row["happened_at"]) for row in rows] == [(dt.date(2026, 11, 18), None)]


def test_a_midnight_of_the_clock_parts_the_days_and_a_time_that_there_is_not_follows(tmp_path: Path) -> None:
    def logged(time: str) -> str:
        return f"{time} [main] INFO  {LOGGER} - {ADDING}\n"

    rows, _ = landed(tmp_path, logged("23:50:00.000") + logged("23:60:00.000") + logged("00:10:00.000"))
    assert [(row["day"].day, row["happened_at"] is None) for row in rows] == [(17, False), (17, True), (18, False)]


@pytest.mark.parametrize(("zone", "day", "hour"), [("Europe/Berlin", 17, 23), ("Asia/Tokyo", 17, 15), ("UTC", 18, 0)])
def test_a_time_is_of_the_zone_of_its_cluster(tmp_path: Path, zone: str, day: int, hour: int) -> None:
    settings = f'[clusters.c]\ntimezone = "{zone}"'
    [row], _ = landed(tmp_path, line("2026-11-18 00:30:00,000", ADDING), settings=settings)
    assert (row["day"].day, row["happened_at"].hour) == (day, hour)


def test_a_zone_is_one_cluster_s_alone(tmp_path: Path) -> None:
    settings = '[clusters.other]\ntimezone = "Asia/Tokyo"'
    [row], _ = landed(tmp_path, line("2026-11-18 00:30:00,000", ADDING), settings=settings)
    assert row["happened_at"].hour == 0


def test_a_site_s_own_pattern_is_a_layout_like_others(tmp_path: Path) -> None:
    text = f"2026-11-17T10:00:00Z|I|{LOGGER}|{ADDING}\n2026-11-17T10:00:01Z|I|a.B|else\n"
    pattern = r"[logs.patterns]" + "\nbatch = '^(?P<time>[^|]*)\\|(?P<level>[A-Z])\\|(?P<logger>[^|]*)\\|'"
    [row], done = landed(tmp_path, text, settings=pattern)
    assert (row["happened_at"].day, row["level"], row["logger"], row["text"]) == (17, "I", LOGGER, ADDING)
    assert (done.receipt.format, done.receipt.records) == ("log: batch of the site", 2)


def test_a_torn_file_tells_what_stood_before_the_tear(tmp_path: Path) -> None:
    whole = gzip.compress(b"".join(line("2026-11-18 10:00:00,000", f"{ADDING}{n}").encode() for n in range(9000)))
    rows, done = landed(tmp_path, whole[: len(whole) // 2], place="broker-1/server.log.gz")
    assert 1000 < len(rows) < 9000
    assert done.problem is not None
    assert done.problem.startswith("read only in part")
