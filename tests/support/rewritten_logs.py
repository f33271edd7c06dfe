"""The entries of the recorded logs, and functions that write them in the layouts of other sites."""

import json
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from support.recorded_logs import broker_log, client_logs, read_log

Rows = list[dict[str, Any]]
UTC = ZoneInfo("UTC")


class LogEntry(NamedTuple):
    at: datetime
    level: str
    thread: str
    logger: str
    message: str


BROKER_ENTRY = re.compile(
    r"\[(?P<at>[^\]]+)\] (?P<level>[A-Z]+) (?P<message>.*) \((?P<logger>[\w.$]+)\)(?P<rest>(?:\n(?!\[20).*)*)"
)
CLIENT_ENTRY = re.compile(
    r"(?P<at>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}) (?P<level>[A-Z]+) +\[(?P<thread>[^\]]*)\] (?P<logger>[\w.$]+) - "
    r"(?P<message>.*)(?P<rest>(?:\n(?!20\d\d-).*)*)"
)
BROKERS = ("kafka-3.9", "kafka-4.3")
# Clients with the layout that prints most. Their consumers leave, lose the broker, are fenced, and use KIP-848.
APPS = ("shipping-eta-1", "inventory-sync-1", "rates-cache-1", "telemetry-rollup", "warehouse-sync")


def recorded_text(name: str) -> str:
    return broker_log(name) if name in BROKERS else client_logs("kafka-4.3")[name]


@cache
def recorded_entries(name: str) -> tuple[LogEntry, ...]:
    pattern = BROKER_ENTRY if name in BROKERS else CLIENT_ENTRY
    entries = tuple(
        LogEntry(
            datetime.strptime(match["at"], "%Y-%m-%d %H:%M:%S,%f").replace(tzinfo=UTC),
            match["level"],
            match.groupdict().get("thread") or "main",
            match["logger"],
            (match["message"] + match["rest"]).rstrip("\n"),
        )
        for match in pattern.finditer(recorded_text(name))
    )
    assert len(entries) > 30
    return entries


@cache
def recorded_rows(name: str) -> Rows:
    # The pattern of an entry leaves out printed configurations, whose logger is on their last line.
    rows = [row for row in read_log(recorded_text(name))[0] if row["event"] != "broker_configured"]
    assert len(rows) > 20
    return rows


def _abbreviated(logger: str, longest: int) -> str:
    """As logback abbreviates a logger: packages to their first letters, from the left, as far as needed."""
    *packages, name = logger.split(".")
    for number in range(len(packages)):
        if len(".".join([*packages, name])) <= longest:
            break
        packages[number] = packages[number][:1]
    return ".".join([*packages, name])


def _class_name(logger: str) -> str:
    return logger.rpartition(".")[2]


def _clock(at: datetime, point: str) -> str:
    return f"{at:%H:%M:%S}{point}{at.microsecond // 1000:03}"


def _time(at: datetime, point: str = ",", between: str = " ") -> str:
    return f"{at:%Y-%m-%d}{between}{_clock(at, point)}"


def _kafka(entry: LogEntry, line_number: str = "") -> str:
    first, *more = entry.message.split("\n", 1)
    rest = "".join(f"\n{line}" for line in more)
    return f"[{_time(entry.at)}] {entry.level} {first} ({entry.logger}{line_number}){rest}\n"


def _connect(entry: LogEntry) -> str:
    connector = "[my sink|task-0] " if entry.message.startswith("[Consumer") else ""
    return _kafka(entry._replace(message=connector + entry.message), ":214")


def _json(**fields: Any) -> str:
    return json.dumps(fields, ensure_ascii=False) + "\n"


WriteEntry = Callable[[LogEntry], str]
LAYOUTS: dict[str, WriteEntry] = {
    "[%d] %p %m (%c)%n": _kafka,
    "[%d] %p %m (%c:%L)%n": lambda entry: _kafka(entry, ":214"),
    "%d{ISO8601} %-5p [%t] %c - %m%n": lambda entry: (
        f"{_time(entry.at)} {entry.level:<5} [{entry.thread}] {entry.logger} - {entry.message}\n"
    ),
    "%d{ISO8601} %-5p [%t] %c{1} - %m%n": lambda entry: (
        f"{_time(entry.at)} {entry.level:<5} [{entry.thread}] {_class_name(entry.logger)} - {entry.message}\n"
    ),
    "%d{ISO8601_OFFSET} of log4j2": lambda entry: (
        f"{_time(entry.at, between='T')} {entry.level:<5} [{entry.thread}] {entry.logger} - {entry.message}\n"
    ),
    "%d{yyyy-MM-dd HH:mm:ss,SSS} %p [%t] %c: %m%n": lambda entry: (
        f"{_time(entry.at)} {entry.level} [{entry.thread}] {entry.logger}: {entry.message}\n"
    ),
    "%d{yyyy-MM-dd HH:mm:ss,SSS} [%t] %-5p %c - %m%n": lambda entry: (
        f"{_time(entry.at)} [{entry.thread}] {entry.level:<5} {entry.logger} - {entry.message}\n"
    ),
    "%d %-5p %c{1}:%L - %m%n": lambda entry: (
        f"{_time(entry.at)} {entry.level:<5} {_class_name(entry.logger)}:214 - {entry.message}\n"
    ),
    "logback with a date": lambda entry: (
        f"{_time(entry.at, '.')} [{entry.thread}] {entry.level:<5} {_abbreviated(entry.logger, 36)} - {entry.message}\n"
    ),
    "logback": lambda entry: (
        f"{_clock(entry.at, '.')} [{entry.thread}] {entry.level:<5} {_abbreviated(entry.logger, 36)} -- {entry.message}\n"
    ),
    "logback before 1.3": lambda entry: (
        f"{_clock(entry.at, '.')} [{entry.thread}] {entry.level:<5} {_abbreviated(entry.logger, 36)} - {entry.message}\n"
    ),
    "Spring Boot 2": lambda entry: (
        f"{_time(entry.at, '.')} {entry.level:>5} 4711 --- [{entry.thread[-15:]:>15}] "
        f"{_abbreviated(entry.logger, 39)[-40:]:<40} : {entry.message}\n"
    ),
    "Spring Boot 3": lambda entry: (
        f"{_time(entry.at, '.', 'T')}{'Z' if entry.at.utcoffset() == timedelta(0) else entry.at.isoformat()[-6:]} "
        f"{entry.level:>5} 1 --- [app] [{entry.thread[-15:]:>15}] {_abbreviated(entry.logger, 39)[-40:]:<40} : "
        f"{entry.message}\n"
    ),
    "logstash": lambda entry: _json(
        **{"@timestamp": entry.at.isoformat(timespec="milliseconds"), "@version": "1"},
        message=entry.message, logger_name=entry.logger, thread_name=entry.thread, level=entry.level, level_value=20000,
    ),
    "Kafka Connect": _connect,
    "Quarkus": lambda entry: f"{_time(entry.at)} {entry.level:<5} [{entry.logger}] ({entry.thread}) {entry.message}\n",
    "Kubernetes": lambda entry: "".join(
        f"{_time(entry.at, '.', 'T')}456789Z stdout F {line}" for line in _kafka(entry).splitlines(keepends=True)
    ),
    "log4j2 JSON": lambda entry: _json(
        instant={"epochSecond": int(entry.at.timestamp()), "nanoOfSecond": entry.at.microsecond * 1000},
        thread=entry.thread, level=entry.level, loggerName=entry.logger, message=entry.message, endOfBatch=False,
    ),
    "Elastic": lambda entry: _json(
        **{"@timestamp": entry.at.astimezone(UTC).isoformat(timespec="milliseconds"), "log.level": entry.level},
        message=entry.message,
        **{"log.logger": entry.logger, "process.thread.name": entry.thread, "ecs.version": "1.2.0"},
    ),
}  # fmt: skip
LAYOUTS_WITHOUT_THREADS = {
    "Kafka Connect",
    "Quarkus",
    "Kubernetes",
    "[%d] %p %m (%c)%n",
    "[%d] %p %m (%c:%L)%n",
    "%d %-5p %c{1}:%L - %m%n",
}
