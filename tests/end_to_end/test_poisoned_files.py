"""A file of each kind that goes wrong among a thousand good ones: the rows of the good ones are the same as without it."""

import datetime as dt
import gzip
import json
import os
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import zstandard

import schemas
from kafka_telemetry.formats.segments.record_encoding import encode_key, encode_value
from kafka_telemetry.formats.segments.segment_writer import Batch, Record, encode_segment
from spark_jobs import run as runs
from spark_jobs.bronze.offset_records import java_hash
from spark_jobs.cluster_settings import Cluster
from spark_jobs.job import DeliveryDays, Job
from spark_jobs.settings import SOURCES

NewJob = Callable[..., Job]
DAY = "2026-01-01"
START = dt.datetime(2026, 1, 1, 1, tzinfo=dt.UTC)
GROUPS = [f"good-{number}" for number in range(5)]
PARTITIONS = 50
# What poisoned files are about: groups, origins and partitions of the offsets topic of their own.
POISON = "poison"


def folder(landing: Path, source: str, *folders: str) -> Path:
    path = landing.joinpath(source, "cluster=eu", f"date={DAY}", *folders)
    path.mkdir(parents=True, exist_ok=True)
    return path


def segment(group: str, first_offset: int, *committed: int) -> bytes:
    batches = []
    for offset, position in enumerate(committed, first_offset):
        at = round(START.timestamp() * 1000) + offset * 1000
        value = {"offset": position, "leaderEpoch": -1, "metadata": "", "commitTimestamp": at}
        key = encode_key(1, {"group": group, "topic": "t", "partition": 0})
        batches.append(Batch([Record(offset, at, key, encode_value(1, 3, value))]))
    return encode_segment(batches)


def partition_folder(landing: Path, group: str) -> Path:
    return folder(landing, "offset_dumps", f"__consumer_offsets-{java_hash(group) % PARTITIONS}")


def broker_line(second: int, text: str) -> str:
    at = (START + dt.timedelta(seconds=second)).strftime("%Y-%m-%d %H:%M:%S")
    return f"[{at},120] INFO [GroupCoordinator 1]: {text} (kafka.coordinator.group.GroupCoordinator)\n"


def stabilized(second: int, group: str, generation: object, members: object = 2) -> str:
    return broker_line(
        second, f"Stabilized group {group} generation {generation} (__consumer_offsets-2) with {members} members"
    )


def deliver_good_files(landing: Path) -> None:
    for number in range(400):
        group, turn = GROUPS[number % 5], number // 5
        file = partition_folder(landing, group) / f"{2 * turn:020}.log"
        file.write_bytes(segment(group, 2 * turn, 100 + 2 * turn, 101 + 2 * turn))
    for number in range(300):
        text = stabilized(number, GROUPS[number % 5], number // 5 + 1)
        (folder(landing, "group_logs", f"broker-{number % 3}") / f"server-{number}.log").write_text(text)
    for number in range(300):
        at = (START + dt.timedelta(minutes=number)).strftime("%Y%m%dT%H%M%SZ")
        (folder(landing, "lag_metrics") / f"end-offsets-{at}.txt").write_text(f"t:0:{1_000_000 + number}\n")


def deliver_poisoned_files(landing: Path) -> int:
    """Returns their number."""
    noise, nested = random.Random(1).randbytes(5_000), "[" * 100_000
    logs = {
        "huge-generation.log": stabilized(1, POISON, "9" * 23).encode(),
        "huge-members.log": stabilized(1, POISON, 1, 2**31).encode(),
        "60001-digits.log": stabilized(1, POISON, "9" * 60_001).encode(),
        "impossible-time.log": stabilized(1, POISON, 1).replace("2026-01-01", "9999-99-99").encode(),
        "year-9999.log": stabilized(1, POISON, 1).replace("2026-01-01", "9999-12-31").encode(),
        "no-utf-8.log": stabilized(1, POISON, 1).encode().replace(b"poison", b"poison\xff\xfe"),
        "zeros.log": stabilized(1, POISON, 1).encode() + bytes(100_000),
        "noise.log": noise,
        "nested.json": f'{{"message": {nested}\n'.encode(),
        "one-long-line.log": b"x" * 3_000_000,
        "empty.log": b"",
        "cut.log.gz": gzip.compress(stabilized(1, POISON, 1).encode() * 500)[:-20],
        "cut.log.zst": zstandard.compress(stabilized(1, POISON, 1).encode() * 500)[:-9],
        "no-gzip.log.gz": b"\x1f\x8b" + noise,
        "expands.log.gz": gzip.compress(bytes(20_000_000)),
    }
    whole = segment(POISON, 0, 1, 2, 3)
    dumps = {
        "cut.log": whole[:-7],
        "wrong-checksum.log": whole[:-3] + b"\0\0\0",
        "noise.log": noise,
        "negative.log": segment(POISON, 0, -(2**63)),
        "huge-length.log": whole[:8] + b"\x7f\xff\xff\xff" + whole[12:],
        "dump.json": json.dumps({"key": {"version": "9" * 400, "data": {}}, "value": nested}).encode(),
        "dump.txt": f"Dumping /d/__consumer_offsets-7/0.log\nbaseOffset: {'9' * 400} count: -1\n| offset: x key: y\n".encode(),
        "console.txt": b"[poison,t,0]::OffsetAndMetadata(offset=99999999999999999999, metadata=x)\n",
    }
    lag = {
        "describe-offsets-20260101T020000Z.txt": (
            f"GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID\n{POISON} t {'9' * 30} 1 -5 x - - -\n"
        ).encode(),
        "end-offsets-20260101T020001Z.txt": f"{POISON}:0:{'9' * 30}\n{POISON}:-1:5\n::\n".encode(),
        "describe-without-time.txt": b"GROUP TOPIC PARTITION\n",
        "exporter-20260101T020002Z.prom": (
            f'kafka_consumergroup_lag{{consumergroup="{POISON}",topic="t",partition="9e99"}} 1e400\n'
            f'kafka_consumergroup_lag{{consumergroup="{POISON}",topic="t' + "\\" * 1_001 + '",partition="0"} NaN\n'
        ).encode(),
        "burrow-20260101T020003Z.json": f'{{"error": false, "status": {nested}'.encode(),
        "noise-20260101T020004Z.txt": noise,
    }
    places = {
        folder(landing, "group_logs", POISON): logs,
        folder(landing, "offset_dumps", POISON, f"__consumer_offsets-{java_hash(POISON) % PARTITIONS}"): dumps,
        folder(landing, "lag_metrics", POISON): lag,
    }
    for place, files in places.items():
        for name, content in files.items():
            (place / name).write_bytes(content)
    link = folder(landing, "group_logs", POISON) / "link.log"
    link.symlink_to("/etc/passwd")
    (folder(landing, "group_logs", POISON) / "circle").symlink_to(landing, target_is_directory=True)
    os.mkfifo(folder(landing, "group_logs", POISON) / "pipe.log")
    (folder(landing, "group_logs", POISON) / os.fsdecode(b"no-utf-8-\xff.log")).write_bytes(b"x\n")
    # A copy of good rows in the folder of another partition.
    good = partition_folder(landing, GROUPS[0])
    elsewhere = folder(
        landing, "offset_dumps", f"{POISON}-elsewhere", f"__consumer_offsets-{java_hash(POISON) % PARTITIONS}"
    )
    shutil.copy(good / f"{0:020}.log", elsewhere / f"{0:020}.log")
    return sum(map(len, places.values())) + 5


def built(new_job: NewJob, lake: Path, landing: Path) -> Job:
    job = new_job(lake, landing)
    job = Job(replace(job.settings, clusters={"eu": Cluster(offsets_partitions=PARTITIONS)}), job.progress)
    runs.run_bronze(job, DeliveryDays(), SOURCES)
    runs.run_silver(job, DeliveryDays())
    return job


def good_rows(job: Job) -> dict[str, list[str]]:
    """All rows of bronze and silver that are about good files and groups, without where else they were read."""
    found = {}
    for name, table in schemas.tables().items():
        columns = [column for column in table.column_names if column not in ("rejected_at", "modified_at")]
        if table.layer in ("bronze", "silver"):
            rows = [row.asDict(recursive=True) for row in job.lake.read(name).select(*columns).collect()]
            found[name] = sorted(
                str(row)
                for row in rows
                if not any(POISON in str(row.get(column)) for column in ("source_file", "group_id", "topic", "origin"))
            )
    return found


def test_one_poisoned_file_of_each_kind_changes_no_row_of_a_thousand_good_ones(new_job: NewJob, tmp_path: Path) -> None:
    deliver_good_files(tmp_path / "good")
    shutil.copytree(tmp_path / "good", tmp_path / "both")
    assert deliver_poisoned_files(tmp_path / "both") > 30
    good = built(new_job, tmp_path / "good-lake", tmp_path / "good")
    both = built(new_job, tmp_path / "both-lake", tmp_path / "both")
    expected, rows = good_rows(good), good_rows(both)
    assert not good.failed
    assert both.failed
    assert len(expected["bronze.files"]) == 1_000
    assert len(expected["silver.offset_commits"]) == 800
    assert len(expected["silver.rebalances"]) == 300
    for table in expected:
        assert rows[table] == expected[table], table
