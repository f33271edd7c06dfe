"""`lagoon collect` reads a real broker: the same records and tables as the broker's disk and Kafka's own tools have."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from confluent_kafka import Consumer, ConsumerGroupTopicPartitions, Message, TopicPartition
from confluent_kafka.admin import AdminClient
from support.kafka_broker import PARTITIONS, SECONDS, TOPIC, running_broker, use_groups
from support.killed_commands import ended, start_lagoon
from support.segment_reading import Row, read_rows

from benchmarks.kafka_tools import tool_command
from spark_jobs.landing import list_landing

CLUSTER = "live"
# More than a collection has points at which a file is changed, with every partition in a new file.
MOST_KILLS = 400


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("broker")


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with running_broker(folder) as address:
        use_groups(address)
        yield address


def collect(address: str, landing: Path, *options: str) -> str:
    """What it prints."""
    words = ["collect", "--cluster", CLUSTER, "--bootstrap-server", address, "--landing", str(landing), *options]
    command = [sys.executable, "-m", "spark_jobs.cli", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def commit(address: str, group: str, offset: int) -> None:
    consumer = Consumer({"bootstrap.servers": address, "group.id": group})
    consumer.commit(offsets=[TopicPartition(TOPIC, 0, offset)], asynchronous=False)
    consumer.close()


def segment_rows(files: list[Path]) -> list[Row]:
    """In the order of the log. Where in its file a record is depends on what else is in it."""
    rows = [row for file in files for row in read_rows(file.read_bytes())[0]]
    return [{**row, "source_position": None} for row in sorted(rows, key=lambda row: row["record_offset"])]


def records_on_disk(folder: Path) -> dict[str, list[Row]]:
    logs = sorted((folder / "data").glob("__consumer_offsets-*"))
    assert len(logs) == PARTITIONS
    return {log.name: segment_rows(sorted(log.glob("*.log"))) for log in logs}


def collected_records(landing: Path) -> dict[str, list[Row]]:
    dumps = landing / "offset_dumps" / f"cluster={CLUSTER}"
    names = {file.parent.name for file in dumps.rglob("*.log")}
    return {name: segment_rows(sorted(dumps.glob(f"date=*/collect/{name}/*.log"))) for name in sorted(names)}


def test_collected_segments_hold_each_record_of_the_broker_once(address: str, folder: Path, tmp_path: Path) -> None:
    first = collect(address, tmp_path)
    assert re.search(r"__consumer_offsets: 3 partitions read, \d+ new records, [\d,]+ bytes in 3 files", first), first
    for number in range(5):
        commit(address, f"later-{number}", number)
        collect(address, tmp_path)
    assert "0 new records, 0 bytes in 0 files" in collect(address, tmp_path)

    on_disk = records_on_disk(folder)
    assert collected_records(tmp_path) == on_disk
    rows = [row for rows in on_disk.values() for row in rows]
    assert {row["key_type"] for row in rows} >= {None, 1, 2, 3, 5, 6, 7, 8}
    assert {row["marker"] for row in rows} == {None, "commit", "abort"}
    # A segment for each partition, which has grown. Midnight may have come in between.
    segments = [file for file in list_landing(str(tmp_path)).files if file.source == "offset_dumps"]
    assert {file.origin for file in segments} == {"collect"}
    assert len(segments) <= PARTITIONS * len({file.delivered_on for file in segments})


@pytest.mark.slow
def test_a_kill_at_any_point_loses_nothing_and_leaves_nothing_twice(address: str, folder: Path, tmp_path: Path) -> None:
    words = ["--cluster", CLUSTER, "--bootstrap-server", address, "--landing", str(tmp_path), "--quiet"]
    program = [sys.executable, "-m", "support.killed_collect"]
    tests = Path(__file__).parents[1]
    kills = 0
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=tests) as runner:
        assert runner.stdin is not None
        assert runner.stdout is not None
        for kill in range(1, MOST_KILLS):
            commit(address, f"between-kills-{kill % 7}", kill)
            print(json.dumps({"words": words, "kill": kill}), file=runner.stdin, flush=True)
            code = json.loads(runner.stdout.readline())["code"]
            if code == 0:
                break
            assert code == -9
            kills += 1
        runner.stdin.close()
    assert 30 < kills < MOST_KILLS - 1
    collect(address, tmp_path)
    assert collected_records(tmp_path) == records_on_disk(folder)


def test_lag_files_are_what_the_tools_of_kafka_print(address: str, tmp_path: Path) -> None:
    with (
        joined(address, "classic", "static", **{"group.instance.id": "static-1"}),
        joined(address, "consumer", "epochs"),
    ):
        collect(address, tmp_path)
        printed = {
            "describe-offsets": tool(address, "consumer.group.ConsumerGroupCommand", "--describe", "--all-groups"),
            "describe-members": tool(
                *(
                    address,
                    "consumer.group.ConsumerGroupCommand",
                    "--describe",
                    "--all-groups",
                    "--members",
                    "--verbose",
                )
            ),
            "describe-state": tool(
                address, "consumer.group.ConsumerGroupCommand", "--describe", "--all-groups", "--state"
            ),
            "start-offsets": tool(address, "GetOffsetShell", "--exclude-internal-topics", "--time", "-2"),
            "end-offsets": tool(address, "GetOffsetShell", "--exclude-internal-topics", "--time", "-1"),
        }
    files = {re.sub(r"-\d{8}T\d{6}Z", "", file.stem): file.read_text() for file in tmp_path.rglob("collect/*.txt")}
    assert sorted(files) == sorted(printed)
    for name, text in printed.items():
        # The tool prints the partitions and members of a group in the order of a hash table.
        assert sorted(files[name].splitlines()) == sorted(text.splitlines()), name
    assert "static-1" in files["describe-members"]
    assert "epochs" in files["describe-state"]


def test_it_goes_on_until_it_is_stopped(address: str, folder: Path, tmp_path: Path) -> None:
    words = ["collect", "--cluster", CLUSTER, "--bootstrap-server", address, "--landing", tmp_path, "--every", "1"]
    process = start_lagoon(*words)
    try:
        wanted = 3
        while len(list(tmp_path.rglob("end-offsets-*.txt"))) < wanted:
            assert process.poll() is None, process.communicate()
            commit(address, "while-it-runs", 1)
    finally:
        process.terminate()
    code, errors = ended(process)
    assert code == 143
    assert "lagoon: stopped." in errors
    collect(address, tmp_path)
    assert collected_records(tmp_path) == records_on_disk(folder)


def test_what_is_gone_since_the_last_time_is_said(address: str, tmp_path: Path) -> None:
    collect(address, tmp_path)
    state = tmp_path / ".collect" / f"cluster={CLUSTER}.json"
    known = json.loads(state.read_text())
    before = collected_records(tmp_path)

    state.write_text(json.dumps({**known, "cluster_id": "of-another-cluster"}))
    assert "live is another cluster than the one collected before" in collect(address, tmp_path)
    # What was collected of the other cluster stays, beside all of this one.
    assert {name: len(rows) for name, rows in collected_records(tmp_path).items()} == {
        name: 2 * len(rows) for name, rows in before.items()
    }

    ahead = {number: {**each, "next_offset": 10**9} for number, each in known["partitions"].items()}
    state.write_text(json.dumps({**known, "partitions": ahead}))
    assert "before the 1,000,000,000 of the last collection: it was made anew" in collect(address, tmp_path)
    for file in tmp_path.rglob("*.log"):
        offsets = [row["record_offset"] for row in read_rows(file.read_bytes())[0]]
        assert offsets == sorted(offsets)


@pytest.mark.slow
def test_a_lake_of_collected_files_has_the_positions_that_the_broker_reports(address: str, tmp_path: Path) -> None:
    landing, lake = tmp_path / "landing", tmp_path / "lake"
    collect(address, landing)
    for layer in ("bronze", "silver"):
        code, errors = ended(start_lagoon(layer, "--landing", landing, "--lake", lake, "--quiet"))
        assert code == 0, errors
    query = (
        "select group_id, topic, partition_id, committed_offset from silver.positions "
        "where committed_offset is not null order by all"
    )
    command = [sys.executable, "-m", "spark_jobs.cli", "sql", query, "--format", "json", "--lake", str(lake)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=10 * SECONDS)
    assert [tuple(row.values()) for row in json.loads(done.stdout)] == sorted(positions(address))


def positions(address: str) -> list[tuple[str, str, int, int]]:
    admin = AdminClient({"bootstrap.servers": address})
    groups = [group.group_id for group in admin.list_consumer_groups().result(SECONDS).valid]
    assert groups
    answers = [
        admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)])[group].result(SECONDS)
        for group in groups
    ]
    return [
        (answer.group_id, each.topic, each.partition, each.offset)
        for answer in answers
        for each in answer.topic_partitions
    ]


@contextmanager
def joined(address: str, protocol: str, group: str, **options: str) -> Iterator[None]:
    """A member of a group, for as long as the block runs."""
    member = Consumer(
        {
            "bootstrap.servers": address,
            "group.id": group,
            "group.protocol": protocol,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            **options,
        }
    )
    member.subscribe([TOPIC])
    messages: list[Message] = member.consume(5, timeout=SECONDS)
    assert messages
    member.commit(asynchronous=False)
    yield
    member.close()


def tool(address: str, name: str, *options: str) -> str:
    command = tool_command(name, "--bootstrap-server", address, *options)
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
