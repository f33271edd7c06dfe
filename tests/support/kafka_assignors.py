"""Kafka's own assignors, run on a Java runtime. No JDK is needed: Spark contains a compiler."""

import hashlib
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pyspark

from kafka_telemetry.groups.assignors.assignor_inputs import Assignment, MemberSubscription, TopicPartition
from spark_jobs.spark import jars
from spark_jobs.spark.java import java_home

_PINNED = {
    "org.apache.kafka:kafka-clients:4.3.1": "52501b7b47510c66f898871adaf6d2968ab7246561d44ced43643a8a587f0b36",
    "org.apache.kafka:kafka-group-coordinator:4.3.1": "4ab56d002e1624185c874199e9e0ffb243dbeb9f68b4d0cadf48ce2f617a1126",
    "org.apache.kafka:kafka-group-coordinator-api:4.3.1": "d81bc1a3739ff6c9b21815baae00022306342a16d3d94e6a2621201b9980a30d",
    "org.apache.kafka:kafka-server-common:4.3.1": "d7c719f749579a399011f0df7414de8a78f10f074a6122caa550fdb141351575",
}
# An assignor needs only slf4j of all their dependencies, and Spark contains it.
_EXCLUDED = (
    "at.yawk*:*,com.*:*,org.slf4j:*,org.xerial*:*,org.pcollections:*,org.hdrhistogram:*,io.*:*,net.*:*,"
    "org.apache.kafka:kafka-storage*,org.apache.kafka:kafka-metadata,org.apache.kafka:kafka-raft,"
    "org.apache.kafka:kafka-coordinator-common,org.apache.kafka:kafka-transaction-coordinator"
)
_SOURCE = Path(__file__).with_name("KafkaAssignors.java")


class SubscribedGroup(NamedTuple):
    partitions: dict[str, int]
    members: list[MemberSubscription]


def kafka_assignments(groups: Sequence[SubscribedGroup]) -> list[dict[str, Assignment]]:
    """The assignment of each group by each of Kafka's assignors, except those that failed. `uniform` uses the order of
    members and topics."""
    spark_jars = Path(pyspark.__file__).parent / "jars"
    classpath = [*_kafka_jars(), *spark_jars.glob("janino-*"), *spark_jars.glob("commons-compiler-*")]
    classpath += spark_jars.glob("slf4j-api-*")
    command = [str(java_home() / "bin" / "java"), "-cp", ":".join(map(str, classpath))]
    command += ["org.codehaus.janino.SimpleCompiler", str(_SOURCE), "KafkaAssignors"]
    requests = "".join(f"{_line(group)}\n" for group in groups)
    done = subprocess.run(command, input=requests.encode(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    lines = [line.split("\t") for line in done.stdout.decode().splitlines()]
    assignors = len(lines) // len(groups)
    assert assignors * len(groups) == len(lines)
    return [
        {
            name: {member.member_id: _partitions(text) for member, text in zip(group.members, texts, strict=True)}
            for name, *texts in lines[nth * assignors : (nth + 1) * assignors]
            if texts
        }
        for nth, group in enumerate(groups)
    ]


def _line(group: SubscribedGroup) -> str:
    fields = [",".join(f"{topic}:{count}" for topic, count in group.partitions.items())]
    for member in group.members:
        owned = ",".join(f"{topic}:{partition}" for topic, partition in member.owned)
        fields += [member.member_id, member.instance_id or "", ",".join(sorted(member.topics)), owned]
        fields.append(str(member.generation))
    return "\t".join(fields)


def _partitions(text: str) -> list[TopicPartition]:
    pairs = (part.rpartition(":") for part in text.split(",") if part)
    return [(topic, int(partition)) for topic, _, partition in pairs]


def _kafka_jars() -> list[Path]:
    paths = [jars.jar_path(coordinates) for coordinates in _PINNED]
    if not all(path.is_file() for path in paths):
        jars.fetch_jars(list(_PINNED), excluded=_EXCLUDED)
    for path, sha256 in zip(paths, _PINNED.values(), strict=True):
        assert hashlib.sha256(path.read_bytes()).hexdigest() == sha256, f"{path.name} is not the pinned file"
    return paths
