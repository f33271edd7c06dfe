"""The recorded logs, rewritten as other sites would have written them, are read to the same rows."""

import gzip
import io
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import zstandard
from support.recorded_logs import read_log
from support.rewritten_logs import (
    APPS,
    BROKERS,
    LAYOUTS,
    LAYOUTS_WITHOUT_THREADS,
    UTC,
    Rows,
    recorded_entries,
    recorded_rows,
    recorded_text,
)

from kafka_telemetry.formats.compression import decompress

# All columns but the line's place in its file, its thread and its logger.
COMPARED_COLUMNS = (
    *("kind", "happened_at", "level", "side", "event", "group_id", "member_id", "client_id", "instance_id"),
    *("generation", "offsets_partition", "reason", "reason_text", "details", "settings", "text"),
)
CLIENT_COLUMNS = ("group_id", "client_id", "instance_id")


def rewritten(name: str, layout: str, zone: ZoneInfo = UTC) -> str:
    return "".join(LAYOUTS[layout](entry._replace(at=entry.at.astimezone(zone))) for entry in recorded_entries(name))


def assert_same_rows(rows: Rows, expected: Rows, *, layout: str) -> None:
    """A line without its client's prefix is assigned to it by its thread, which not all layouts print."""
    assert len(rows) == len(expected)
    for row, other in zip(rows, expected, strict=True):
        for name in COMPARED_COLUMNS:
            client_may_be_unknown = layout in LAYOUTS_WITHOUT_THREADS and "[Consumer" not in row["text"]
            is_unknown_client = client_may_be_unknown and name in CLIENT_COLUMNS and row[name] is None
            # A first line may end in a space.
            is_same = row[name] == other[name] or (name == "text" and row[name] == other[name].replace(": \n", ":\n"))
            assert is_same or is_unknown_client, (name, row["text"])


# In an unknown layout a message is found by its prefix, which not all lines of a broker have.
UNKNOWN_LAYOUTS = {"Quarkus"}


@pytest.mark.parametrize(
    ("name", "layout"),
    [
        (name, layout)
        for name in (*BROKERS, *APPS)
        for layout in LAYOUTS
        if name in APPS or layout not in UNKNOWN_LAYOUTS
    ],
)
def test_a_log_has_the_same_rows_in_every_layout(name: str, layout: str) -> None:
    rows, receipt = read_log(rewritten(name, layout))
    assert receipt.records == len(recorded_entries(name))
    assert receipt.not_understood == 0
    assert_same_rows(rows, recorded_rows(name), layout=layout)


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/St_Johns", "Asia/Kolkata", "Pacific/Auckland"])
@pytest.mark.parametrize("layout", ["[%d] %p %m (%c)%n", "logback", "Spring Boot 2", "Spring Boot 3", "logstash"])
@pytest.mark.parametrize("name", ["kafka-4.3", "warehouse-sync"])
def test_a_log_has_the_same_rows_in_the_zone_of_its_cluster(name: str, layout: str, zone: str) -> None:
    rows, _ = read_log(rewritten(name, layout, ZoneInfo(zone)), timezone=zone)
    assert_same_rows(rows, recorded_rows(name), layout=layout)


def rolled(text: str) -> Iterator[str]:
    """Three files, each beginning with a whole entry."""
    lines = text.splitlines(keepends=True)
    starts = [number for number, line in enumerate(lines) if re.match(r"\[20|20\d\d-", line)]
    for begin, end in pairwise([0, starts[len(starts) // 3], starts[2 * len(starts) // 3], len(lines)]):
        yield "".join(lines[begin:end])


@pytest.mark.parametrize("compress", [gzip.compress, lambda data: zstandard.ZstdCompressor().compress(data)])
@pytest.mark.parametrize("name", [*BROKERS, *APPS])
def test_a_log_has_the_same_rows_when_it_was_rolled_and_compressed(
    name: str, compress: Callable[[bytes], bytes]
) -> None:
    files = [compress(piece.encode()) for piece in rolled(recorded_text(name))]
    assert len(files) == 3
    contents = [decompress(io.BufferedReader(io.BytesIO(file))).read() for file in files]
    rows = [row for content in contents for row in read_log(content)[0]]
    expected = read_log(recorded_text(name))[0]
    assert len(rows) == len(expected)
    for row, other in zip(rows, expected, strict=True):
        for column in COMPARED_COLUMNS:
            # The line that reveals the client may be in an earlier file.
            is_unknown_client = column in CLIENT_COLUMNS and row[column] is None
            assert row[column] == other[column] or is_unknown_client, (column, row["text"])


ODD_NAMES = {
    "spaces": "the group of all orders",
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
RENAMED_GROUPS = {
    "kafka-3.9": ("cart-recommendations", "pricing-engine", "report-builder"),
    "kafka-4.3": ("cart-recommendations", "inventory-sync", "rates-cache", "image-resize", "customer-profile"),
    "warehouse-sync": ("warehouse-sync",),
    "inventory-sync-1": ("inventory-sync",),
    "rates-cache-1": ("rates-cache",),
}


def renamed(value: Any, groups: Iterable[str], new_name: str) -> Any:
    """The value with the groups renamed in all of its texts: in ids of groups, of clients and of members."""
    if isinstance(value, str):
        for group in groups:
            value = value.replace(group, new_name)
        return value
    if isinstance(value, dict):
        return {key: renamed(item, groups, new_name) for key, item in value.items()}
    return value


@pytest.mark.parametrize("layout", ["[%d] %p %m (%c)%n", "%d{ISO8601} %-5p [%t] %c - %m%n", "logstash"])
@pytest.mark.parametrize("odd_name", ODD_NAMES)
@pytest.mark.parametrize("name", RENAMED_GROUPS)
def test_odd_names_of_groups_clients_and_instances_are_captured_whole(name: str, odd_name: str, layout: str) -> None:
    groups, group_id = RENAMED_GROUPS[name], ODD_NAMES[odd_name]
    text = "".join(
        LAYOUTS[layout](entry._replace(message=renamed(entry.message, groups, group_id)))
        for entry in recorded_entries(name)
    )
    expected = [renamed(row, groups, group_id) for row in recorded_rows(name)]
    assert sum(row["group_id"] == group_id for row in expected) > 20
    assert_same_rows(read_log(text)[0], expected, layout=layout)
