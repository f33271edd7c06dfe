"""Groups as kafka-consumer-groups of Kafka 4.3 described them in the recording are printed as it printed them."""

import re
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
from support.segment_reading import RECORDED, read_file

from spark_jobs.collect.cluster_client import Broker, TopicPartition
from spark_jobs.collect.describe_text import members_table, offsets_table, states_table
from spark_jobs.collect.described_groups import DescribedGroup, DescribedMember

BROKER = Broker(1, "127.0.0.1", 19092)
ANY = DescribedMember("", "", "", "", ())


def tables(file: Path) -> list[list[str]]:
    """The lines of each table that was printed."""
    blocks = re.split(r"\n{2,}", read_file(file).decode().strip("\n"))
    found = [block.split("\n") for block in blocks if block.startswith("GROUP ")]
    assert found
    return found


def values(table: list[str]) -> list[dict[str, str | None]]:
    """No name in the recording has a blank."""
    names = table[0].split()
    rows = [dict(zip(names, line.split(), strict=True)) for line in table[1:]]
    return [{name: None if text == "-" else text for name, text in row.items()} for row in rows]


def number(text: str | None) -> int | None:
    return None if text is None else int(text)


def partitions(text: str | None) -> tuple[TopicPartition, ...]:
    topics = [each.split(":") for each in (text or "").split(";") if each]
    return tuple((topic, int(partition)) for topic, numbers in topics for partition in numbers.split(","))


def members(table: list[str]) -> str:
    rows = values(table)
    described = [
        DescribedMember(
            row["CONSUMER-ID"] or "",
            row.get("GROUP-INSTANCE-ID") or "",
            row["CLIENT-ID"] or "",
            row["HOST"] or "",
            partitions(row["CURRENT-ASSIGNMENT"]),
            partitions(row["TARGET-ASSIGNMENT"]),
            number(row["CURRENT-EPOCH"]),
            {"true": True, "false": False}.get(row.get("UPGRADED") or ""),
        )
        for row in rows
    ]
    group, epoch = (rows[0]["GROUP"], number(rows[0]["TARGET-EPOCH"])) if rows else ("", None)
    return members_table([DescribedGroup(group or "", BROKER, "Stable", "", tuple(described), epoch)])


def offsets(table: list[str]) -> str:
    owned: dict[tuple[str, str, str], list[TopicPartition]] = defaultdict(list)
    committed: dict[TopicPartition, int] = {}
    ends: dict[TopicPartition, int] = {}
    rows = values(table)
    for row in rows:
        key = (row["TOPIC"] or "", int(row["PARTITION"] or ""))
        for offsets_of, name in ((committed, "CURRENT-OFFSET"), (ends, "LOG-END-OFFSET")):
            if (offset := number(row[name])) is not None:
                offsets_of[key] = offset
        if row["CONSUMER-ID"]:
            owned[(row["CONSUMER-ID"], row["CLIENT-ID"] or "", row["HOST"] or "")].append(key)
    described = tuple(DescribedMember(name, "", client, host, tuple(of)) for (name, client, host), of in owned.items())
    group = rows[0]["GROUP"] if rows else ""
    return offsets_table([DescribedGroup(group or "", BROKER, "Stable", "", described, None, committed)], ends)


def state(table: list[str]) -> str:
    match = re.fullmatch(r"(\S+) +127\.0\.0\.1:19092  \(1\) +(\S+) +(\S+) +(\d+)", table[1])
    assert match
    group, assignor, state_name, count = match.groups()
    return states_table(
        [DescribedGroup(group, BROKER, state_name, "" if assignor == "-" else assignor, (ANY,) * int(count))]
    )


@pytest.mark.parametrize(
    ("view", "printed"), [("members", members), ("offsets", offsets), ("state", state)], ids=lambda each: str(each)[:8]
)
def test_every_recorded_table(view: str, printed: Callable[[list[str]], str]) -> None:
    files = sorted((RECORDED / "kafka-4.3" / "lag").glob(f"describe-{view}-*"))
    assert len(files) > 10
    for table in [table for file in files for table in tables(file) if view == "members" or len(table) > 1]:
        # The tool prints partitions in the order of a hash table.
        assert sorted(printed(table).strip("\n").split("\n")) == sorted(table)
