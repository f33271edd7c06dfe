"""How a line is laid out around its message, over how many lines it goes, and when it was written."""

import json
from datetime import UTC, date, datetime

import pytest
from support.recorded_logs import broker_log, client_logs, read_log

PREFIX = "[Consumer clientId=app-1, groupId=orders] "
ADDING = PREFIX + "Adding newly assigned partitions: a-0, a-1"
LOGGER = "org.apache.kafka.clients.consumer.internals.ConsumerRebalanceListenerInvoker"
SHORT = "o.a.k.c.c.i.ConsumerRebalanceListenerInvoker"
AT = datetime(2026, 11, 18, 10, 0, 1, 120000, tzinfo=UTC)

LAYOUTS = {
    "kafka": f"[2026-11-18 10:00:01,120] INFO {ADDING} ({LOGGER})",
    "log4j": f"2026-11-18 10:00:01,120 INFO  [main] {LOGGER} - {ADDING}",
    "log4j with the short logger": f"2026-11-18 10:00:01,120 INFO  [main] ConsumerRebalanceListenerInvoker - {ADDING}",
    "log4j with a T": f"2026-11-18T10:00:01,120 INFO  [main] {LOGGER} - {ADDING}",
    "spring 2": f"2026-11-18 10:00:01.120  INFO 20333 --- [           main] {SHORT} : {ADDING}",
    "spring 3": f"2026-11-18T11:00:01.120+01:00  INFO 1 --- [app] [           main] {SHORT} : {ADDING}",
    "logback with a date": f"2026-11-18 10:00:01.120 [main] INFO  {LOGGER} - {ADDING}",
    "logback": f"10:00:01.120 [main] INFO  o.a.k.c.c.i.ConsumerRebalanceListenerInvoker - {ADDING}",
    "logger and thread last": f"2026-11-18 10:00:01,120 INFO {ADDING} ({LOGGER}) [main]",
    "logstash": json.dumps(
        {"@timestamp": "2026-11-18T10:00:01.12Z", "@version": "1", "message": ADDING, "logger_name": LOGGER,
         "thread_name": "main", "level": "INFO", "level_value": 20000}
    ),
    "log4j2 JSON": json.dumps(
        {"instant": {"epochSecond": int(AT.timestamp()), "nanoOfSecond": 120000000},
         "thread": "main", "level": "INFO", "loggerName": LOGGER, "message": ADDING}
    ),
    "Elastic JSON": json.dumps(
        {"@timestamp": "2026-11-18T10:00:01.120Z", "log.level": "INFO", "message": ADDING,
         "process": {"thread": {"name": "main"}}, "log": {"logger": LOGGER}}
    ),
    "JSON with epoch milliseconds": json.dumps(
        {"time": int(AT.timestamp() * 1000), "severity": "INFO", "msg": ADDING, "logger": LOGGER, "thread": "main"}
    ),
    "JSON without the first Z": json.dumps(
        {"timestamp": "2026-11-18 10:00:01,120", "level": "INFO", "message": ADDING, "logger": LOGGER, "thread": "main"}
    ),
}  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_layout_is_recognised_by_its_lines_alone(layout: str) -> None:
    (row,), receipt = read_log(LAYOUTS[layout] + "\n")
    assert receipt.records == receipt.understood == 1
    told = {name: row[name] for name in ("happened_at", "level", "event", "client_id", "group_id", "details", "text")}
    assert told == {
        "happened_at": AT,
        "level": "INFO",
        "event": "partitions_assigned",
        "client_id": "app-1",
        "group_id": "orders",
        "details": {"partitions": "a-0, a-1"},
        "text": ADDING,
    }
    assert row["logger"].endswith("ConsumerRebalanceListenerInvoker")
    assert row["thread"] == (None if layout == "kafka" else "main")


def test_the_recorded_clients_have_all_seven_layouts() -> None:
    formats = {read_log(text)[1].format for text in client_logs("kafka-4.3").values()}
    assert formats == {"log: kafka", "log: log4j", "log: spring", "log: json lines", "log: logback"}


def test_a_file_of_no_known_layout_still_yields_what_its_wording_tells() -> None:
    (row,), receipt = read_log(f"<1> nothing\n  {ADDING}\n{ADDING}\n")
    assert (receipt.format, receipt.records, receipt.ignored) == ("log: no known layout", 2, 1)
    assert (row["event"], row["group_id"], row["happened_at"]) == ("partitions_assigned", "orders", None)


def test_an_empty_file_is_read_to_nothing() -> None:
    assert read_log("")[0] == []
    assert read_log("\n\n")[1].records == 0


def test_a_site_gives_its_own_layout_as_a_pattern() -> None:
    pattern = r"^(?P<level>\w+)/(?P<thread>\S+)@(?P<time>\d+) <(?P<logger>\S+)> (?P<message>.*)"
    text = f"I/main@1795000000120 <{LOGGER}> {ADDING}\n  its second line\nI/main@1795000000121 <a.B> else\n"
    (row,), receipt = read_log(text, patterns={"batch": pattern})
    assert (receipt.format, receipt.records) == ("log: batch of the site", 2)
    assert (row["thread"], row["level"], row["logger"]) == ("main", "I", LOGGER)
    assert row["happened_at"] == datetime.fromtimestamp(1795000000.12, UTC)
    assert row["text"] == f"{ADDING}\n  its second line"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_pattern_that_says_how_a_line_ends_fits_lines_with_their_ends(end: str) -> None:
    pattern = r"^(?P<level>[A-Z]+) *\|(?P<time>[^|]+)\|(?P<message>.*)\|(?P<logger>[\w.$-]+)$"
    lines = [f"INFO |2026-11-18 15:45:01.120 +0545|{ADDING}|{LOGGER}", "WARN |2026-11-18 15:45:02.000 +0545|else|a.B"]
    (row,), receipt = read_log(end.join(lines) + end, patterns={"pipes": pattern})
    assert (receipt.format, receipt.records) == ("log: pipes of the site", 2)
    assert (row["happened_at"], row["logger"], row["text"]) == (AT, LOGGER, ADDING)


@pytest.mark.parametrize(
    "head",
    [
        "2026/11/18 10:00:01.120 [app] INFO ConsumerCoordinator | ",
        "INFO 2026/11/18 10:00:01.120 (Coordinator:1) ",
        "INFO 18 Nov 2026 10:00:01,120 (Coordinator:1) ",
    ],
)
def test_a_date_may_have_slashes_or_the_name_of_a_month(head: str) -> None:
    rows, receipt = read_log(f"{head}{ADDING}\n" * 3)
    assert receipt.understood == 3
    assert {(row["happened_at"], row["event"], row["text"]) for row in rows} == {(AT, "partitions_assigned", ADDING)}


@pytest.mark.parametrize(
    ("timezone", "expected"),
    [
        ("UTC", "2026-07-01T10:00:01.120000+00:00"),
        ("Europe/Berlin", "2026-07-01T08:00:01.120000+00:00"),
        ("America/New_York", "2026-07-01T14:00:01.120000+00:00"),
        ("Asia/Kolkata", "2026-07-01T04:30:01.120000+00:00"),
    ],
)
def test_a_time_without_a_zone_is_one_of_the_zone_of_its_cluster(timezone: str, expected: str) -> None:
    (row,), _ = read_log(LAYOUTS["kafka"].replace("11-18", "07-01"), timezone=timezone)
    assert row["happened_at"].isoformat() == datetime.fromisoformat(expected).isoformat(timespec="microseconds")


def test_a_time_with_a_zone_needs_none() -> None:
    (row,), _ = read_log(LAYOUTS["spring 3"], timezone="Asia/Tokyo")
    assert row["happened_at"] == AT


def test_an_hour_that_there_is_twice_is_the_first_and_one_that_there_is_not_is_near_it() -> None:
    twice, _ = read_log(LAYOUTS["kafka"].replace("2026-11-18 10", "2026-10-25 02"), timezone="Europe/Berlin")
    never, _ = read_log(LAYOUTS["kafka"].replace("2026-11-18 10", "2026-03-29 02"), timezone="Europe/Berlin")
    assert twice[0]["happened_at"] == datetime(2026, 10, 25, 0, 0, 1, 120000, tzinfo=UTC)
    assert never[0]["happened_at"].date() == date(2026, 3, 29)


def test_a_day_that_does_not_exist_costs_only_its_own_line_the_time() -> None:
    rows, _ = read_log(LAYOUTS["kafka"].replace("11-18", "02-30") + "\n" + LAYOUTS["kafka"])
    assert [row["happened_at"] for row in rows] == [None, AT]


def clock(*times: str) -> str:
    return "".join(LAYOUTS["logback"].replace("10:00:01.120", time) + "\n" for time in times)


def times(text: str, delivery_day: date, timezone: str = "UTC") -> list[str]:
    rows, _ = read_log(text, delivery_day=delivery_day, timezone=timezone)
    return [row["happened_at"].strftime("%d %H:%M") for row in rows]


def test_lines_without_a_date_end_on_the_day_of_delivery() -> None:
    assert times(clock("09:00:00.000", "10:00:00.000"), date(2026, 11, 18)) == ["18 09:00", "18 10:00"]


def test_each_midnight_is_counted_back_from_the_day_of_delivery() -> None:
    text = clock("23:59:58.000", "00:00:01.000", "12:00:00.000", "23:00:00.000", "00:30:00.000")
    assert times(text, date(2026, 11, 18)) == ["16 23:59", "17 00:00", "17 12:00", "17 23:00", "18 00:30"]


def test_threads_that_overtake_each_other_pass_no_midnight() -> None:
    text = clock("11:00:00.100", "11:00:00.090", "23:59:59.999", "00:00:00.001", "23:59:59.998", "00:00:00.002")
    assert times(text, date(2026, 11, 18)) == ["17 11:00", "17 11:00", "17 23:59", "18 00:00", "17 23:59", "18 00:00"]


def test_midnight_is_that_of_the_cluster_and_the_delivery_day_that_of_utc() -> None:
    text = clock("23:59:58.000", "00:30:00.000")
    assert times(text, date(2026, 11, 18), "Europe/Berlin") == ["18 22:59", "18 23:30"]


def test_lines_that_are_not_kept_pass_midnight_too() -> None:
    text = clock("22:00:00.000") + "00:00:01.000 [main] INFO  a.B - work\n" + clock("10:00:00.000")
    assert times(text, date(2026, 11, 18)) == ["17 22:00", "18 10:00"]


TRACE = (
    "java.lang.IllegalStateException: no\n\tat a.B.c(B.java:3)\n\tat java.base/java.lang.Thread.run(Unknown Source)\n"
)
FAILED = PREFIX + "Offset commit with offsets {a-0=OffsetAndMetadata{offset=3, leaderEpoch=null, metadata=''}} failed"


@pytest.mark.parametrize("layout", ["kafka", "log4j", "spring 3", "logback", "logger and thread last"])
def test_a_stack_trace_stays_with_its_line(layout: str) -> None:
    line = LAYOUTS[layout].replace(ADDING, FAILED)
    rows, receipt = read_log(line + "\n" + TRACE + LAYOUTS[layout] + "\n")
    assert receipt.records == 2
    assert [row["event"] for row in rows] == ["commit_failed", "partitions_assigned"]
    assert rows[0]["text"] == f"{FAILED}\n{TRACE}".rstrip()
    assert rows[1]["source_position"] == 5


def test_a_stack_trace_in_json_stays_with_its_line() -> None:
    line = json.loads(LAYOUTS["logstash"]) | {"message": FAILED, "stack_trace": TRACE}
    (row,), _ = read_log(json.dumps(line))
    assert (row["event"], row["text"]) == ("commit_failed", f"{FAILED}\n{TRACE}".rstrip())


@pytest.mark.parametrize("block", [300, 1 << 10, 5000, 1 << 16])
def test_where_the_blocks_of_a_file_end_changes_nothing(block: int) -> None:
    for app in ("inventory-sync-3", "warehouse-sync", "basket-merge", "inventory-forecast", "customer-profile-v2"):
        text = client_logs("kafka-4.3")[app]
        assert read_log(text, block_bytes=block) == read_log(text)


def test_where_the_blocks_of_a_brokers_log_end_changes_nothing() -> None:
    text = broker_log("kafka-4.3")
    assert read_log(text, block_bytes=1 << 14) == read_log(text)


def test_a_huge_entry_is_cut_and_what_follows_is_read() -> None:
    line = LAYOUTS["kafka"] + "\n"
    text = line + LAYOUTS["kafka"].replace(f" ({LOGGER})", "\n" + "x" * (9 << 20) + "\ny\n") + "\n" + line
    rows, receipt = read_log(text)
    assert receipt.records == 3
    assert [row["source_position"] for row in rows if row["text"] == ADDING] == [1, 6]


def test_bytes_that_are_no_text_harm_only_themselves() -> None:
    text = (
        LAYOUTS["kafka"].encode().replace(b"groupId=orders", b"groupId=ord\xff\xfeers")
        + b"\n"
        + LAYOUTS["kafka"].encode()
    )
    rows, _ = read_log(text)
    assert [row["group_id"] for row in rows] == ["ord\ufffd\ufffders", "orders"]


def test_lines_may_end_as_they_do_on_windows() -> None:
    rows, receipt = read_log((LAYOUTS["kafka"] + "\n" + LAYOUTS["kafka"] + "\n").replace("\n", "\r\n"))
    assert receipt.records == 2
    assert [row["text"] for row in rows] == [ADDING, ADDING]


def test_a_file_that_begins_amid_a_message_loses_just_that() -> None:
    rows, receipt = read_log(f"\tat a.B.c(B.java:3)\n{LAYOUTS['kafka']}\n")
    assert receipt.records == 1
    assert [row["source_position"] for row in rows] == [2]


def test_librdkafka_speaks_between_the_lines_of_its_application() -> None:
    stderr = (
        "%4|1795001110.034|MAXPOLL|payments#consumer-1| [thrd:main]: Application maximum poll interval (300000ms) "
        "exceeded by 88ms (adjust max.poll.interval.ms for long-running message processing): leaving group\n"
    )
    rows, receipt = read_log(LAYOUTS["log4j"] + "\n" + stderr + LAYOUTS["log4j"] + "\n")
    assert receipt.records == 3
    assert [row["event"] for row in rows] == ["partitions_assigned", "poll_timeout", "partitions_assigned"]
    told = {name: rows[1][name] for name in ("client_id", "reason", "happened_at", "level", "thread")}
    assert told == {
        "client_id": "payments",
        "reason": "poll_interval",
        "happened_at": datetime(2026, 11, 18, 11, 25, 10, 34000, tzinfo=UTC),
        "level": "4",
        "thread": "main",
    }


def test_librdkafka_is_heard_through_the_logging_of_python() -> None:
    handed_on = (
        "2026-11-18 11:25:10,034 DEBUG my.app JOINGROUP [svc [2]#consumer-1] [thrd:main]: JoinGroup response: GenerationId 2, "
        "Protocol cooperative-sticky, LeaderId svc-1 (me), my MemberId svc-1, member metadata count 2: (no error)\n"
        "2026-11-18 11:25:11,034 WARNING my.app MAXPOLL [svc [2]#consumer-1] [thrd:main]: Application maximum poll interval "
        "(300000ms) exceeded by 88ms (adjust max.poll.interval.ms for long-running message processing): leaving group\n"
        "2026-11-18 11:25:12,034 INFO my.app STARTED [it is] my own line\n"
    )
    rows, receipt = read_log(handed_on)
    assert (receipt.records, receipt.understood, receipt.not_understood) == (3, 2, 0)
    told = [(row["event"], row["client_id"], row["generation"], row["thread"], row["level"]) for row in rows]
    assert told == [
        ("joined", "svc [2]", 2, "main", "DEBUG"),
        ("poll_timeout", "svc [2]", None, "main", "WARNING"),
    ]
