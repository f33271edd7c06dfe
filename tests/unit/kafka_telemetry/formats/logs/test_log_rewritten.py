"""The recorded logs written anew, as other sites would have written them: the readers tell the same of them."""

import gzip
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import pytest
import zstandard
from support.recorded_logs import broker_log, client_logs, read_log

from kafka_telemetry.formats.compression import decompress

Rows = list[dict[str, Any]]
UTC = ZoneInfo("UTC")

# What a line tells, apart from where it stands in its file and who of its application wrote it down.
TOLD = (
    *("kind", "happened_at", "level", "side", "event", "group_id", "member_id", "client_id", "instance_id"),
    *("generation", "offsets_partition", "reason", "reason_text", "details", "settings", "text"),
)
# A line without its client's prefix is tied to it by its thread, which not all layouts print.
OWNED = ("group_id", "client_id", "instance_id")


class Entry(NamedTuple):
    at: datetime
    level: str
    thread: str
    logger: str
    message: str


BROKER = re.compile(
    r"\[(?P<at>[^\]]+)\] (?P<level>[A-Z]+) (?P<message>.*) \((?P<logger>[\w.$]+)\)(?P<rest>(?:\n(?!\[20).*)*)"
)
CLIENT = re.compile(
    r"(?P<at>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}) (?P<level>[A-Z]+) +\[(?P<thread>[^\]]*)\] (?P<logger>[\w.$]+) - "
    r"(?P<message>.*)(?P<rest>(?:\n(?!20\d\d-).*)*)"
)
BROKERS = ("kafka-3.9", "kafka-4.3")
# Of the layout that prints most. Their consumers leave, are away with the broker, fenced, and speak KIP-848.
APPS = ("shipping-eta-1", "inventory-sync-1", "rates-cache-1", "telemetry-rollup", "warehouse-sync")


@cache
def entries(name: str) -> tuple[Entry, ...]:
    text, pattern = (broker_log(name), BROKER) if name in BROKERS else (client_logs("kafka-4.3")[name], CLIENT)
    found = tuple(
        Entry(
            datetime.strptime(m["at"], "%Y-%m-%d %H:%M:%S,%f").replace(tzinfo=UTC),
            m["level"],
            m.groupdict().get("thread") or "main",
            m["logger"],
            (m["message"] + m["rest"]).rstrip("\n"),
        )
        for m in pattern.finditer(text)
    )
    assert len(found) > 30
    return found


@cache
def expected(name: str) -> Rows:
    rows = read_log(broker_log(name) if name in BROKERS else client_logs("kafka-4.3")[name])[0]
    assert len(rows) > 20
    return rows


def first_letters(logger: str, longest: int) -> str:
    """As logback shortens a logger: packages to their letters, from the left, as far as needed."""
    *packages, name = logger.split(".")
    for place in range(len(packages)):
        if len(".".join([*packages, name])) <= longest:
            break
        packages[place] = packages[place][:1]
    return ".".join([*packages, name])


def clock(at: datetime, mark: str) -> str:
    return f"{at:%H:%M:%S}{mark}{at.microsecond // 1000:03}"


def stamp(at: datetime, mark: str = ",", between: str = " ") -> str:
    return f"{at:%Y-%m-%d}{between}{clock(at, mark)}"


def split(message: str) -> tuple[str, str]:
    first, _, rest = message.partition("\n")
    return first, f"\n{rest}" if rest else ""


Write = Callable[[Entry], str]


def kafka(one: Entry) -> str:
    first, rest = split(one.message)
    return f"[{stamp(one.at)}] {one.level} {first} ({one.logger}){rest}\n"


def connect(one: Entry) -> str:
    first, rest = split(one.message)
    return f"[{stamp(one.at)}] {one.level} {first} ({one.logger}:214){rest}\n"


def json_of(**fields: Any) -> str:
    return json.dumps(fields, ensure_ascii=False) + "\n"


LAYOUTS: dict[str, Write] = {
    "[%d] %p %m (%c)%n": kafka,
    "[%d] %p %m (%c:%L)%n": connect,
    "%d{ISO8601} %-5p [%t] %c - %m%n": lambda one: (
        f"{stamp(one.at)} {one.level:<5} [{one.thread}] {one.logger} - {one.message}\n"
    ),
    "%d{ISO8601} %-5p [%t] %c{1} - %m%n": lambda one: (
        f"{stamp(one.at)} {one.level:<5} [{one.thread}] {one.logger.rpartition('.')[2]} - {one.message}\n"
    ),
    "%d{ISO8601_OFFSET} of log4j2": lambda one: (
        f"{stamp(one.at, between='T')} {one.level:<5} [{one.thread}] {one.logger} - {one.message}\n"
    ),
    "%d{yyyy-MM-dd HH:mm:ss,SSS} %p [%t] %c: %m%n": lambda one: (
        f"{stamp(one.at)} {one.level} [{one.thread}] {one.logger}: {one.message}\n"
    ),
    "%d{yyyy-MM-dd HH:mm:ss,SSS} [%t] %-5p %c - %m%n": lambda one: (
        f"{stamp(one.at)} [{one.thread}] {one.level:<5} {one.logger} - {one.message}\n"
    ),
    "%d %-5p %c{1}:%L - %m%n": lambda one: (
        f"{stamp(one.at)} {one.level:<5} {one.logger.rpartition('.')[2]}:214 - {one.message}\n"
    ),
    "logback with a date": lambda one: (
        f"{stamp(one.at, '.')} [{one.thread}] {one.level:<5} {first_letters(one.logger, 36)} - {one.message}\n"
    ),
    "logback": lambda one: (
        f"{clock(one.at, '.')} [{one.thread}] {one.level:<5} {first_letters(one.logger, 36)} -- {one.message}\n"
    ),
    "logback before 1.3": lambda one: (
        f"{clock(one.at, '.')} [{one.thread}] {one.level:<5} {first_letters(one.logger, 36)} - {one.message}\n"
    ),
    "Spring Boot 2": lambda one: (
        f"{stamp(one.at, '.')} {one.level:>5} 4711 --- [{one.thread[-15:]:>15}] "
        f"{first_letters(one.logger, 39)[-40:]:<40} : {one.message}\n"
    ),
    "Spring Boot 3": lambda one: (
        f"{stamp(one.at, '.', 'T')}{'Z' if one.at.utcoffset() == timedelta(0) else one.at.isoformat()[-6:]} "
        f"{one.level:>5} 1 --- [app] [{one.thread[-15:]:>15}] {first_letters(one.logger, 39)[-40:]:<40} : {one.message}\n"
    ),
    "logstash": lambda one: json_of(
        **{"@timestamp": one.at.isoformat(timespec="milliseconds"), "@version": "1"},
        message=one.message, logger_name=one.logger, thread_name=one.thread, level=one.level, level_value=20000,
    ),
    "Kafka Connect": lambda one: connect(
        one._replace(message=f"{'[my sink|task-0] ' if one.message.startswith('[Consumer') else ''}{one.message}")
    ),
    "Quarkus": lambda one: f"{stamp(one.at)} {one.level:<5} [{one.logger}] ({one.thread}) {one.message}\n",
    "Kubernetes": lambda one: "".join(
        f"{stamp(one.at, '.', 'T')}456789Z stdout F {line}" for line in kafka(one).splitlines(keepends=True)
    ),
    "log4j2 JSON": lambda one: json_of(
        instant={"epochSecond": int(one.at.timestamp()), "nanoOfSecond": one.at.microsecond * 1000},
        thread=one.thread, level=one.level, loggerName=one.logger, message=one.message, endOfBatch=False,
    ),
    "Elastic": lambda one: json_of(
        **{"@timestamp": one.at.astimezone(UTC).isoformat(timespec="milliseconds"), "log.level": one.level},
        message=one.message, **{"log.logger": one.logger, "process.thread.name": one.thread, "ecs.version": "1.2.0"},
    ),
}  # fmt: skip
THREADLESS = {
    "Kafka Connect",
    "Quarkus",
    "Kubernetes",
    "[%d] %p %m (%c)%n",
    "[%d] %p %m (%c:%L)%n",
    "%d %-5p %c{1}:%L - %m%n",
}


def written(name: str, write: Write, zone: ZoneInfo = UTC) -> str:
    return "".join(write(one._replace(at=one.at.astimezone(zone))) for one in entries(name))


def assert_the_same(found: Rows, wanted: Rows, *, threads: bool = True) -> None:
    assert len(found) == len(wanted)
    for row, like in zip(found, wanted, strict=True):
        for name in TOLD:
            unknown = not threads and name in OWNED and row[name] is None and "[Consumer" not in row["text"]
            # Of a first line that ends in a blank.
            same = row[name] == like[name] or (name == "text" and row[name] == like[name].replace(": \n", ":\n"))
            assert same or unknown, (name, row["text"])


# Of a layout that nobody told of the prefix of a message is found, and a broker's line need not have one.
UNTOLD = {"Quarkus"}


@pytest.mark.parametrize(
    ("name", "layout"),
    [(name, layout) for name in (*BROKERS, *APPS) for layout in LAYOUTS if name in APPS or layout not in UNTOLD],
)
def test_a_log_tells_the_same_in_every_layout(name: str, layout: str) -> None:
    rows, receipt = read_log(written(name, LAYOUTS[layout]))
    assert receipt.records == len(entries(name))
    assert receipt.not_understood == 0
    assert_the_same(rows, expected(name), threads=layout not in THREADLESS)


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/St_Johns", "Asia/Kolkata", "Pacific/Auckland"])
@pytest.mark.parametrize("layout", ["[%d] %p %m (%c)%n", "logback", "Spring Boot 2", "Spring Boot 3", "logstash"])
@pytest.mark.parametrize("name", ["kafka-4.3", "warehouse-sync"])
def test_a_log_tells_the_same_in_the_zone_of_its_cluster(name: str, layout: str, zone: str) -> None:
    text = written(name, LAYOUTS[layout], ZoneInfo(zone))
    rows, _ = read_log(text, timezone=zone)
    assert_the_same(rows, expected(name), threads=layout not in THREADLESS)


def pieces(text: str) -> Iterator[str]:
    """As a log is rolled: three files, each beginning with a whole entry."""
    lines = text.splitlines(keepends=True)
    heads = [number for number, line in enumerate(lines) if re.match(r"\[20|20\d\d-", line)]
    ends = [0, heads[len(heads) // 3], heads[2 * len(heads) // 3], len(lines)]
    for begin, end in pairwise(ends):
        yield "".join(lines[begin:end])


@pytest.mark.parametrize("pack", [gzip.compress, lambda data: zstandard.ZstdCompressor().compress(data)])
@pytest.mark.parametrize("name", [*BROKERS, *APPS])
def test_a_log_tells_the_same_rolled_and_packed(name: str, pack: Callable[[bytes], bytes]) -> None:
    text = broker_log(name) if name in BROKERS else client_logs("kafka-4.3")[name]
    rolled = [decompress(io.BufferedReader(io.BytesIO(pack(piece.encode())))).read() for piece in pieces(text)]
    assert len(rolled) == 3
    # Whose a line is may stand in a file before.
    assert_the_same_but_for_owners([row for piece in rolled for row in read_log(piece)[0]], expected(name))


def assert_the_same_but_for_owners(found: Rows, wanted: Rows) -> None:
    assert len(found) == len(wanted)
    for row, like in zip(found, wanted, strict=True):
        for name in TOLD:
            assert row[name] == like[name] or (name in OWNED and row[name] is None), (name, row["text"])


ODD = {
    "blanks": "the group of all orders",
    "brackets": "orders [eu] (1) {a}",
    "an end of a prefix": "orders] in group b",
    "the word generation": "of generation 7 with 3 members",
    "quotes": "said \"so\" and 'so'",
    "signs": "a=b, c: d; $1 \\d+ \\n %s",
    "Cyrillic": "группа заказов",
    "Han": "消費者群組",
    "emoji": "orders 🛒",
    "255 characters": ("очень-длинная-" * 20)[:255],
}
# Groups of the classic protocol and of KIP-848, with static members, and one that rebalances all the time.
RENAMED = {
    "kafka-3.9": ("cart-recommendations", "pricing-engine", "report-builder"),
    "kafka-4.3": ("cart-recommendations", "inventory-sync", "rates-cache", "image-resize", "customer-profile"),
    "warehouse-sync": ("warehouse-sync",),
    "inventory-sync-1": ("inventory-sync",),
    "rates-cache-1": ("rates-cache",),
}


def renamed(value: Any, groups: Iterable[str], odd: str) -> Any:
    """In every text of a value: in the ids of the group, of its clients and of its members."""
    if isinstance(value, str):
        for group in groups:
            value = value.replace(group, odd)
        return value
    if isinstance(value, dict):
        return {key: renamed(one, groups, odd) for key, one in value.items()}
    return value


@pytest.mark.parametrize("layout", ["[%d] %p %m (%c)%n", "%d{ISO8601} %-5p [%t] %c - %m%n", "logstash"])
@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("name", RENAMED)
def test_odd_names_of_groups_clients_and_instances_come_through_whole(name: str, odd: str, layout: str) -> None:
    groups = RENAMED[name]
    text = "".join(
        LAYOUTS[layout](one._replace(message=renamed(one.message, groups, ODD[odd]))) for one in entries(name)
    )
    rows, _ = read_log(text)
    wanted = [renamed(row, groups, ODD[odd]) for row in expected(name)]
    assert sum(row["group_id"] == ODD[odd] for row in wanted) > 20
    assert_the_same(rows, wanted, threads=layout not in THREADLESS)


def test_a_layout_that_nobody_knows_is_not_taken_for_another_by_a_line_or_two() -> None:
    said = "[Consumer clientId=app-1, groupId=orders] Adding newly assigned partitions: a-0"
    text = f"18/11/2026 10.00 | main | {said}\n" * 20 + '{"printed": "by the application"}\n'
    rows, receipt = read_log(text)
    assert receipt.format == "log: no known layout"
    assert {(row["event"], row["group_id"], row["happened_at"]) for row in rows} == {
        ("partitions_assigned", "orders", None)
    }
    assert len(rows) == 20


def test_a_time_that_stands_later_in_a_line_is_found() -> None:
    line = "INFO  [2026-11-18 10:00:01,120] o.a.k.c.c.i.ConsumerCoordinator: [Consumer clientId=a, groupId=g] (Re-)joining group"
    (row,), _ = read_log(line + "\n")
    assert (row["event"], row["group_id"]) == ("joining", "g")
    assert row["happened_at"] == datetime(2026, 11, 18, 10, 0, 1, 120000, tzinfo=UTC)


def test_who_leaves_is_one_though_its_id_holds_a_comma_and_several_are_several() -> None:
    one, two = "a, b-6f2c0c1e-5a0b-4b52-9f53-0d3b1f5a7c11", "c-6f2c0c1e-5a0b-4b52-9f53-0d3b1f5a7c12"
    line = (
        "[2026-11-18 10:00:00,120] INFO [GroupCoordinator id=1 topic=__consumer_offsets partition=2] Preparing to rebalance "
        "group g in state PreparingRebalance with old generation 4 (reason: explicit `LeaveGroup` request for ({}) "
        "members.). (org.apache.kafka.coordinator.group.GroupMetadataManager)\n"
    )
    rows, _ = read_log(line.format(one) + line.format(f"{one}, {two}"))
    assert [(row["member_id"], row["details"].get("member_ids")) for row in rows] == [
        (one, None),
        (None, f"{one}, {two}"),
    ]
