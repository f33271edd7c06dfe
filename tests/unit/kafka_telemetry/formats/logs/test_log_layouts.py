"""The layouts of log files, entries of several lines, and lines of other programs between them."""

import json
from datetime import UTC, datetime

import pytest
from support.recorded_logs import broker_log, client_logs, read_log

PREFIX = "[Consumer clientId=app-1, groupId=orders] "
ADDING = PREFIX + "Adding newly assigned partitions: a-0, a-1"
LOGGER = "org.apache.kafka.clients.consumer.internals.ConsumerRebalanceListenerInvoker"
ABBREVIATED_LOGGER = "o.a.k.c.c.i.ConsumerRebalanceListenerInvoker"
AT = datetime(2026, 11, 18, 10, 0, 1, 120000, tzinfo=UTC)

LAYOUTS = {
    "kafka": f"[2026-11-18 10:00:01,120] INFO {ADDING} ({LOGGER})",
    "log4j": f"2026-11-18 10:00:01,120 INFO  [main] {LOGGER} - {ADDING}",
    "log4j with the short logger": f"2026-11-18 10:00:01,120 INFO  [main] ConsumerRebalanceListenerInvoker - {ADDING}",
    "log4j with a T": f"2026-11-18T10:00:01,120 INFO  [main] {LOGGER} - {ADDING}",
    "spring 2": f"2026-11-18 10:00:01.120  INFO 20333 --- [           main] {ABBREVIATED_LOGGER} : {ADDING}",
    "spring 3": f"2026-11-18T11:00:01.120+01:00  INFO 1 --- [app] [           main] {ABBREVIATED_LOGGER} : {ADDING}",
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
    "JSON with a local time": json.dumps(
        {"timestamp": "2026-11-18 10:00:01,120", "level": "INFO", "message": ADDING, "logger": LOGGER, "thread": "main"}
    ),
}  # fmt: skip
LINE_COLUMNS = ("happened_at", "level", "event", "client_id", "group_id", "details", "text")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_layout_is_detected_from_its_lines_alone(layout: str) -> None:
    (row,), receipt = read_log(LAYOUTS[layout] + "\n")
    assert receipt.records == receipt.understood == 1
    assert {name: row[name] for name in LINE_COLUMNS} == {
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


def test_the_recorded_clients_have_five_layouts() -> None:
    formats = {read_log(text)[1].format for text in client_logs("kafka-4.3").values()}
    assert formats == {"log: kafka", "log: log4j", "log: spring", "log: json lines", "log: logback"}


def test_messages_are_found_in_a_file_of_no_known_layout() -> None:
    (row,), receipt = read_log(f"<1> nothing\n  {ADDING}\n{ADDING}\n")
    assert (receipt.format, receipt.records, receipt.ignored) == ("log: no known layout", 2, 1)
    assert (row["event"], row["group_id"], row["happened_at"]) == ("partitions_assigned", "orders", None)


def test_a_few_lines_in_another_layout_do_not_make_the_layout_of_a_file() -> None:
    text = f"18/11/2026 10.00 | main | {ADDING}\n" * 20 + '{"printed": "by the application"}\n'
    rows, receipt = read_log(text)
    assert receipt.format == "log: no known layout"
    assert {(row["event"], row["group_id"], row["happened_at"]) for row in rows} == {
        ("partitions_assigned", "orders", None)
    }
    assert len(rows) == 20


def test_an_empty_file_has_no_rows() -> None:
    assert read_log("")[0] == []
    assert read_log("\n\n")[1].records == 0


def test_a_custom_layout_is_a_pattern() -> None:
    pattern = r"^(?P<level>\w+)/(?P<thread>\S+)@(?P<time>\d+) <(?P<logger>\S+)> (?P<message>.*)"
    text = f"I/main@1795000000120 <{LOGGER}> {ADDING}\n  its second line\nI/main@1795000000121 <a.B> else\n"
    (row,), receipt = read_log(text, patterns={"batch": pattern})
    assert (receipt.format, receipt.records) == ("log: batch of the site", 2)
    assert (row["thread"], row["level"], row["logger"]) == ("main", "I", LOGGER)
    assert row["happened_at"] == datetime.fromtimestamp(1795000000.12, UTC)
    assert row["text"] == f"{ADDING}\n  its second line"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_pattern_that_ends_in_a_dollar_matches_lines_with_their_line_ends(end: str) -> None:
    pattern = r"^(?P<level>[A-Z]+) *\|(?P<time>[^|]+)\|(?P<message>.*)\|(?P<logger>[\w.$-]+)$"
    lines = [f"INFO |2026-11-18 15:45:01.120 +0545|{ADDING}|{LOGGER}", "WARN |2026-11-18 15:45:02.000 +0545|else|a.B"]
    (row,), receipt = read_log(end.join(lines) + end, patterns={"pipes": pattern})
    assert (receipt.format, receipt.records) == ("log: pipes of the site", 2)
    assert (row["happened_at"], row["logger"], row["text"]) == (AT, LOGGER, ADDING)


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
def test_the_rows_do_not_depend_on_where_the_blocks_of_a_file_end(block: int) -> None:
    for app in ("inventory-sync-3", "warehouse-sync", "basket-merge", "inventory-forecast", "customer-profile-v2"):
        text = client_logs("kafka-4.3")[app]
        assert read_log(text, block_bytes=block) == read_log(text)


def test_the_rows_of_a_broker_do_not_depend_on_where_blocks_end() -> None:
    text = broker_log("kafka-4.3")
    assert read_log(text, block_bytes=1 << 14) == read_log(text)


def test_a_huge_entry_is_cut_and_the_next_one_is_read() -> None:
    line = LAYOUTS["kafka"] + "\n"
    text = line + LAYOUTS["kafka"].replace(f" ({LOGGER})", "\n" + "x" * (9 << 20) + "\ny\n") + "\n" + line
    rows, receipt = read_log(text)
    assert receipt.records == 3
    assert [row["source_position"] for row in rows if row["text"] == ADDING] == [1, 6]


def test_bytes_that_are_not_utf_8_are_replaced_and_the_rest_is_read() -> None:
    text = (
        LAYOUTS["kafka"].encode().replace(b"groupId=orders", b"groupId=ord\xff\xfeers")
        + b"\n"
        + LAYOUTS["kafka"].encode()
    )
    rows, _ = read_log(text)
    assert [row["group_id"] for row in rows] == ["ord\ufffd\ufffders", "orders"]


def test_lines_may_end_in_carriage_return_and_line_feed() -> None:
    rows, receipt = read_log((LAYOUTS["kafka"] + "\n" + LAYOUTS["kafka"] + "\n").replace("\n", "\r\n"))
    assert receipt.records == 2
    assert [row["text"] for row in rows] == [ADDING, ADDING]


def test_a_file_that_begins_within_a_message_loses_only_that_message() -> None:
    rows, receipt = read_log(f"\tat a.B.c(B.java:3)\n{LAYOUTS['kafka']}\n")
    assert receipt.records == 1
    assert [row["source_position"] for row in rows] == [2]


def test_lines_of_librdkafka_between_those_of_its_application_are_read() -> None:
    librdkafka_line = (
        "%4|1795001110.034|MAXPOLL|payments#consumer-1| [thrd:main]: Application maximum poll interval (300000ms) "
        "exceeded by 88ms (adjust max.poll.interval.ms for long-running message processing): leaving group\n"
    )
    rows, receipt = read_log(LAYOUTS["log4j"] + "\n" + librdkafka_line + LAYOUTS["log4j"] + "\n")
    assert receipt.records == 3
    assert [row["event"] for row in rows] == ["partitions_assigned", "poll_timeout", "partitions_assigned"]
    columns = ("client_id", "reason", "happened_at", "level", "thread")
    assert {name: rows[1][name] for name in columns} == {
        "client_id": "payments",
        "reason": "poll_interval",
        "happened_at": datetime(2026, 11, 18, 11, 25, 10, 34000, tzinfo=UTC),
        "level": "4",
        "thread": "main",
    }


def test_messages_that_librdkafka_passes_to_the_logging_of_python_are_read() -> None:
    text = (
        "2026-11-18 11:25:10,034 DEBUG my.app JOINGROUP [svc [2]#consumer-1] [thrd:main]: JoinGroup response: GenerationId 2, "
        "Protocol cooperative-sticky, LeaderId svc-1 (me), my MemberId svc-1, member metadata count 2: (no error)\n"
        "2026-11-18 11:25:11,034 WARNING my.app MAXPOLL [svc [2]#consumer-1] [thrd:main]: Application maximum poll interval "
        "(300000ms) exceeded by 88ms (adjust max.poll.interval.ms for long-running message processing): leaving group\n"
        "2026-11-18 11:25:12,034 INFO my.app STARTED [it is] my own line\n"
    )
    rows, receipt = read_log(text)
    assert (receipt.records, receipt.understood, receipt.not_understood) == (3, 2, 0)
    assert [(row["event"], row["client_id"], row["generation"], row["thread"], row["level"]) for row in rows] == [
        ("joined", "svc [2]", 2, "main", "DEBUG"),
        ("poll_timeout", "svc [2]", None, "main", "WARNING"),
    ]
