"""Kafka of the profile demo: which jars it has, and where its logs land."""

import re
from pathlib import Path

import pytest

from benchmarks.kafka_tools import KAFKA_VERSION
from spark_jobs.landing import list_landing

KAFKA = Path(__file__).parents[2] / "deploy" / "kafka"


def test_every_jar_is_pinned_and_kafka_is_the_version_of_the_tests() -> None:
    lines = [line for line in (KAFKA / "jars.txt").read_text("utf-8").splitlines() if not line.startswith("#")]
    assert len(lines) > 10
    assert [line for line in lines if not re.fullmatch(r"[\w.-]+:[\w.-]+:[\w.-]+ +[0-9a-f]{64}", line)] == []
    kafka = [line.split()[0].split(":") for line in lines if line.startswith("org.apache.kafka:")]
    assert {"kafka_2.13", "kafka-clients"} <= {artifact for _, artifact, _ in kafka}
    assert {version for *_, version in kafka} == {KAFKA_VERSION}


@pytest.mark.parametrize(
    ("configuration", "origin"), [("log4j2.xml", "broker-1"), ("load/log4j2.xml", "orders-billing-1")]
)
def test_logs_are_written_where_they_are_delivered(configuration: str, origin: str, tmp_path: Path) -> None:
    [pattern] = re.findall(r'filePattern="([^"]+)"', (KAFKA / configuration).read_text("utf-8"))
    replaced = {"${env:LAGOON_LANDING}": str(tmp_path), "%d{yyyy-MM-dd}{UTC}": "2026-11-18", "${ctx:pod}": origin}
    for name, value in replaced.items():
        pattern = pattern.replace(name, value)
    file = Path(pattern)
    file.parent.mkdir(parents=True)
    file.write_text("")
    [found] = list_landing(str(tmp_path)).files
    assert (found.source, found.cluster, str(found.delivered_on)) == ("group_logs", "demo", "2026-11-18")
    assert found.origin == origin
