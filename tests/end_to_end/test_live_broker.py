"""A live broker writes `__consumer_offsets`; every record is read as kafka-dump-log of the same version prints it."""

import base64
import os
import secrets
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from confluent_kafka import Consumer, KafkaException, Message, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from support.free_ports import free_ports
from support.segment_reading import Row, parse_dump_log, read_rows

from benchmarks.kafka_tools import KAFKA_VERSION, dump_log_command, java_command, kafka_classpath

TOPIC = "orders"
PARTITIONS = 3
ZSTD = 4
_SECONDS = 60


@pytest.fixture(scope="module")
def log_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `log.dirs` folder of a broker that was shut down after groups of all kinds had used it."""
    folder = tmp_path_factory.mktemp("broker")
    with running_broker(folder) as address:
        use_groups(address)
    return folder / "data"


def test_every_record_that_a_broker_writes_is_read_as_kafka_dump_log_prints_it(log_dir: Path) -> None:
    segments = sorted(log_dir.glob("__consumer_offsets-*/*.log"))
    assert len(segments) == PARTITIONS
    done = subprocess.run(dump_log_command(*segments), capture_output=True, text=True, check=True, timeout=_SECONDS)
    printed = dict(parse_dump_log(done.stdout))
    assert sorted(printed) == segments
    all_rows: list[Row] = []
    compressed_batches = 0
    for segment, expected in printed.items():
        rows, receipt = read_rows(segment.read_bytes())
        compressed_batches += receipt.details["packed_batches"]
        for row in rows:
            # Rows hold bytes where JSON lacks the version of an embedded assignment; a dump has no bytes.
            row["key_bytes"] = row["value_bytes"] = None
        assert rows == expected
        assert receipt.records == receipt.understood == len(expected)
        all_rows += rows
    assert compressed_batches > 0
    # All operations left records: commits, group metadata of both protocols, tombstones, and transaction markers.
    assert {row["key_type"] for row in all_rows} >= {None, 1, 2, 3, 5, 6, 7, 8}
    assert {row["marker"] for row in all_rows} == {None, "commit", "abort"}
    assert {(row["group_id"], row["committed_offset"], row["metadata"]) for row in all_rows} >= {
        # librdkafka writes the NUL that ends a C string too.
        ("by-hand", 7, "to be sure: ü, 🙂\0"),
        ("by-hand", None, None),
        ("in-transactions", 2, ""),
        ("in-transactions", 3, ""),
    }


def use_groups(address: str) -> None:
    """Commits with members of both protocols, without members, and in transactions; deletes a group."""
    admin = AdminClient({"bootstrap.servers": address})
    for created in admin.create_topics([NewTopic(TOPIC, PARTITIONS, 1)]).values():
        created.result(_SECONDS)
    producer = Producer({"bootstrap.servers": address})
    for number in range(20 * PARTITIONS):
        producer.produce(TOPIC, str(number), partition=number % PARTITIONS)
    assert producer.flush(_SECONDS) == 0

    def consumer(group: str, **config: str) -> Consumer:
        defaults = {"bootstrap.servers": address, "group.id": group, "auto.offset.reset": "earliest"}
        return Consumer({**defaults, "enable.auto.commit": False, **config})

    for protocol in ("classic", "consumer"):
        member = consumer(f"{protocol}-group", **{"group.protocol": protocol})
        member.subscribe([TOPIC])
        messages: list[Message] = member.consume(5, timeout=_SECONDS)
        assert messages
        member.commit(asynchronous=False)
        member.close()

    without_members = consumer("by-hand")
    without_members.commit(offsets=[TopicPartition(TOPIC, 1, 7, "to be sure: ü, 🙂")], asynchronous=False)
    without_members.close()
    for deleted in admin.delete_consumer_groups(["by-hand"]).values():
        deleted.result(_SECONDS)

    reader = consumer("in-transactions")
    writer = Producer({"bootstrap.servers": address, "transactional.id": "writer"})
    writer.init_transactions(_SECONDS)
    for position, end in ((2, writer.commit_transaction), (3, writer.abort_transaction)):
        writer.begin_transaction()
        writer.send_offsets_to_transaction(
            [TopicPartition(TOPIC, 0, position)], reader.consumer_group_metadata(), _SECONDS
        )
        end(_SECONDS)
    reader.close()


@contextmanager
def running_broker(folder: Path) -> Iterator[str]:
    """Runs one node that is broker and controller; it is stopped even if the test fails."""
    address, controller = (f"127.0.0.1:{port}" for port in free_ports(2))
    settings = {
        "process.roles": "broker,controller",
        "node.id": 1,
        "controller.quorum.voters": f"1@{controller}",
        "controller.listener.names": "CONTROLLER",
        "listeners": f"PLAINTEXT://{address},CONTROLLER://{controller}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "log.dirs": folder / "data",
        "offsets.topic.num.partitions": PARTITIONS,
        "offsets.topic.replication.factor": 1,
        "offsets.topic.compression.codec": ZSTD,
        "transaction.state.log.num.partitions": 1,
        "transaction.state.log.replication.factor": 1,
        "transaction.state.log.min.isr": 1,
        "group.initial.rebalance.delay.ms": 0,
    }
    properties = folder / "server.properties"
    properties.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
    java = [java_command(), "-Xmx512m", "-XX:TieredStopAtLevel=1", "-cp", kafka_classpath()]
    # It begins with a letter: the tool would take one that begins with `-` for an option.
    cluster = base64.urlsafe_b64encode(b"\0" + secrets.token_bytes(15)).decode().rstrip("=")
    storage = [*java, "kafka.tools.StorageTool", "format", "-t", cluster, "-c", str(properties)]
    formatted = subprocess.run(storage, capture_output=True, text=True, check=False, timeout=_SECONDS)
    assert formatted.returncode == 0, formatted.stdout + formatted.stderr
    log = folder / "broker.txt"
    with log.open("wb") as output:
        # A process group of its own: Ctrl-C in the test must not stop the broker before the test does.
        broker = subprocess.Popen(
            [*java, "kafka.Kafka", str(properties)], stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            client = AdminClient({"bootstrap.servers": address, "log_level": 0})
            try:
                client.describe_cluster(request_timeout=_SECONDS).result(_SECONDS)
            except KafkaException as error:
                pytest.fail(f"Kafka {KAFKA_VERSION} did not start ({error}): {log.read_text()[-2000:]}")
            yield address
            broker.send_signal(signal.SIGTERM)
            broker.wait(_SECONDS)
        finally:
            if broker.poll() is None:
                os.killpg(broker.pid, signal.SIGKILL)
                broker.wait()
