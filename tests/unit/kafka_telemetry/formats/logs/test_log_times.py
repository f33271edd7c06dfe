"""When a log line was written: with a zone, in the zone of its cluster, or by a clock time alone."""

from datetime import UTC, date, datetime

import pytest
from support.recorded_logs import read_log

MESSAGE = "[Consumer clientId=app-1, groupId=orders] Adding newly assigned partitions: a-0"
AT = datetime(2026, 11, 18, 10, 0, 1, 120000, tzinfo=UTC)
KAFKA_LINE = f"[2026-11-18 10:00:01,120] INFO {MESSAGE} (a.ConsumerCoordinator)"
SPRING_LINE = f"2026-11-18T11:00:01.120+01:00  INFO 1 --- [app] [           main] a.ConsumerCoordinator : {MESSAGE}"
LOGBACK_LINE = f"10:00:01.120 [main] INFO  a.ConsumerCoordinator - {MESSAGE}"


@pytest.mark.parametrize(
    "prefix",
    [
        "2026/11/18 10:00:01.120 [app] INFO ConsumerCoordinator | ",
        "INFO 2026/11/18 10:00:01.120 (Coordinator:1) ",
        "INFO 18 Nov 2026 10:00:01,120 (Coordinator:1) ",
    ],
)
def test_a_date_may_have_slashes_or_the_name_of_a_month(prefix: str) -> None:
    rows, receipt = read_log(f"{prefix}{MESSAGE}\n" * 3)
    assert receipt.understood == 3
    assert {(row["happened_at"], row["event"], row["text"]) for row in rows} == {(AT, "partitions_assigned", MESSAGE)}


@pytest.mark.parametrize(
    ("timezone", "expected"),
    [
        ("UTC", "2026-07-01T10:00:01.120000+00:00"),
        ("Europe/Berlin", "2026-07-01T08:00:01.120000+00:00"),
        ("America/New_York", "2026-07-01T14:00:01.120000+00:00"),
        ("Asia/Kolkata", "2026-07-01T04:30:01.120000+00:00"),
    ],
)
def test_a_time_without_a_zone_is_in_the_zone_of_its_cluster(timezone: str, expected: str) -> None:
    (row,), _ = read_log(KAFKA_LINE.replace("11-18", "07-01"), timezone=timezone)
    assert row["happened_at"].isoformat() == datetime.fromisoformat(expected).isoformat(timespec="microseconds")


def test_a_time_with_a_zone_ignores_the_zone_of_its_cluster() -> None:
    (row,), _ = read_log(SPRING_LINE, timezone="Asia/Tokyo")
    assert row["happened_at"] == AT


def test_an_hour_that_occurs_twice_is_the_first_one_and_a_skipped_hour_is_close_to_it() -> None:
    repeated, _ = read_log(KAFKA_LINE.replace("2026-11-18 10", "2026-10-25 02"), timezone="Europe/Berlin")
    skipped, _ = read_log(KAFKA_LINE.replace("2026-11-18 10", "2026-03-29 02"), timezone="Europe/Berlin")
    assert repeated[0]["happened_at"] == datetime(2026, 10, 25, 0, 0, 1, 120000, tzinfo=UTC)
    assert skipped[0]["happened_at"].date() == date(2026, 3, 29)


def test_only_the_line_with_a_day_that_does_not_exist_has_no_time() -> None:
    rows, _ = read_log(KAFKA_LINE.replace("11-18", "02-30") + "\n" + KAFKA_LINE)
    assert [row["happened_at"] for row in rows] == [None, AT]


def lines_at(*clock_times: str) -> str:
    return "".join(LOGBACK_LINE.replace("10:00:01.120", time) + "\n" for time in clock_times)


def days_and_times(text: str, delivery_day: date, timezone: str = "UTC") -> list[str]:
    rows, _ = read_log(text, delivery_day=delivery_day, timezone=timezone)
    return [row["happened_at"].strftime("%d %H:%M") for row in rows]


def test_the_last_line_without_a_date_is_of_the_day_of_delivery() -> None:
    assert days_and_times(lines_at("09:00:00.000", "10:00:00.000"), date(2026, 11, 18)) == ["18 09:00", "18 10:00"]


def test_midnights_are_counted_back_from_the_day_of_delivery() -> None:
    text = lines_at("23:59:58.000", "00:00:01.000", "12:00:00.000", "23:00:00.000", "00:30:00.000")
    assert days_and_times(text, date(2026, 11, 18)) == ["16 23:59", "17 00:00", "17 12:00", "17 23:00", "18 00:30"]


def test_threads_that_overtake_each_other_do_not_count_as_a_midnight() -> None:
    text = lines_at("11:00:00.100", "11:00:00.090", "23:59:59.999", "00:00:00.001", "23:59:59.998", "00:00:00.002")
    assert days_and_times(text, date(2026, 11, 18)) == [
        "17 11:00",
        "17 11:00",
        "17 23:59",
        "18 00:00",
        "17 23:59",
        "18 00:00",
    ]


def test_midnight_is_in_the_zone_of_the_cluster_and_the_day_of_delivery_in_utc() -> None:
    text = lines_at("23:59:58.000", "00:30:00.000")
    assert days_and_times(text, date(2026, 11, 18), "Europe/Berlin") == ["18 22:59", "18 23:30"]


def test_midnights_are_counted_at_irrelevant_lines_too() -> None:
    text = lines_at("22:00:00.000") + "00:00:01.000 [main] INFO  a.B - work\n" + lines_at("10:00:00.000")
    assert days_and_times(text, date(2026, 11, 18)) == ["17 22:00", "18 10:00"]


def test_a_time_in_the_middle_of_a_line_is_found() -> None:
    line = f"INFO  [2026-11-18 10:00:01,120] o.a.k.c.c.i.ConsumerCoordinator: {MESSAGE}"
    (row,), _ = read_log(line + "\n")
    assert (row["event"], row["group_id"], row["happened_at"]) == ("partitions_assigned", "orders", AT)
