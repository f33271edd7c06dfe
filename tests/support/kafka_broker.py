"""A broker of the pinned Kafka for tests, and groups of all kinds that use it."""

import base64
import os
import secrets
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

import pytest
from confluent_kafka import Consumer, KafkaException, Message, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from benchmarks.kafka_tools import KAFKA_VERSION, java_command, kafka_classpath
from support.free_ports import free_ports

TOPIC = "orders"
PARTITIONS = 3
SECONDS = 60
_ZSTD = 4


def use_groups(address: str) -> None:
    """Commits with members of both protocols, without members, and in transactions; deletes a group."""
    admin = AdminClient({"bootstrap.servers": address})
    for created in admin.create_topics([NewTopic(TOPIC, PARTITIONS, 1)]).values():
        created.result(SECONDS)
    producer = Producer({"bootstrap.servers": address})
    for number in range(20 * PARTITIONS):
        producer.produce(TOPIC, str(number), partition=number % PARTITIONS)
    assert producer.flush(SECONDS) == 0

    def consumer(group: str, **config: str) -> Consumer:
        defaults = {"bootstrap.servers": address, "group.id": group, "auto.offset.reset": "earliest"}
        return Consumer({**defaults, "enable.auto.commit": False, **config})

    for protocol in ("classic", "consumer"):
        member = consumer(f"{protocol}-group", **{"group.protocol": protocol})
        member.subscribe([TOPIC])
        messages: list[Message] = member.consume(5, timeout=SECONDS)
        assert messages
        member.commit(asynchronous=False)
        member.close()

    without_members = consumer("by-hand")
    without_members.commit(offsets=[TopicPartition(TOPIC, 1, 7, "to be sure: ü, 🙂")], asynchronous=False)
    without_members.close()
    for deleted in admin.delete_consumer_groups(["by-hand"]).values():
        deleted.result(SECONDS)

    reader = consumer("in-transactions")
    writer = Producer({"bootstrap.servers": address, "transactional.id": "writer"})
    writer.init_transactions(SECONDS)
    for position, end in ((2, writer.commit_transaction), (3, writer.abort_transaction)):
        writer.begin_transaction()
        writer.send_offsets_to_transaction(
            [TopicPartition(TOPIC, 0, position)], reader.consumer_group_metadata(), SECONDS
        )
        end(SECONDS)
    reader.close()


@contextmanager
def running_broker(
    folder: Path, listeners: Mapping[str, str] = MappingProxyType({}), more: Mapping[str, object] = MappingProxyType({})
) -> Iterator[str]:
    """Runs one node that is broker and controller; it is stopped even if the test fails. Yields the address for clients
    without TLS and login. `listeners` are other ones, addresses by protocol; `more` are settings of the broker."""
    address, controller = (f"127.0.0.1:{port}" for port in free_ports(2))
    addresses = {"PLAINTEXT": address, **listeners, "CONTROLLER": controller}
    protocols = {name: name for name in addresses} | {"CONTROLLER": "PLAINTEXT"}
    settings = {
        "process.roles": "broker,controller",
        "node.id": 1,
        "controller.quorum.voters": f"1@{controller}",
        "controller.listener.names": "CONTROLLER",
        "listeners": ",".join(f"{name}://{place}" for name, place in addresses.items()),
        "listener.security.protocol.map": ",".join(f"{name}:{protocol}" for name, protocol in protocols.items()),
        "log.dirs": folder / "data",
        "offsets.topic.num.partitions": PARTITIONS,
        "offsets.topic.replication.factor": 1,
        "offsets.topic.compression.codec": _ZSTD,
        "transaction.state.log.num.partitions": 1,
        "transaction.state.log.replication.factor": 1,
        "transaction.state.log.min.isr": 1,
        "group.initial.rebalance.delay.ms": 0,
        **more,
    }
    properties = folder / "server.properties"
    properties.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
    java = [java_command(), "-Xmx512m", "-XX:TieredStopAtLevel=1", "-cp", kafka_classpath()]
    # It begins with a letter: the tool would take one that begins with `-` for an option.
    cluster = base64.urlsafe_b64encode(b"\0" + secrets.token_bytes(15)).decode().rstrip("=")
    storage = [*java, "kafka.tools.StorageTool", "format", "-t", cluster, "-c", str(properties)]
    formatted = subprocess.run(storage, capture_output=True, text=True, check=False, timeout=SECONDS)
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
                client.describe_cluster(request_timeout=SECONDS).result(SECONDS)
            except KafkaException as error:
                pytest.fail(f"Kafka {KAFKA_VERSION} did not start ({error}): {log.read_text()[-2000:]}")
            yield address
            broker.send_signal(signal.SIGTERM)
            broker.wait(SECONDS)
        finally:
            if broker.poll() is None:
                os.killpg(broker.pid, signal.SIGKILL)
                broker.wait()
