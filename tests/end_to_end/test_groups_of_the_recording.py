"""The groups of the recording, against what kafka-dump-log printed, what the broker logged and what the clients saw."""

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
import zstandard
from pyspark.sql import functions as F

from spark_jobs.lake.tables import Lake

RECORDING = Path(__file__).parent.parent / "recorded" / "kafka-4.3"

_LINE = re.compile(r"\| offset: (\d+) \w+: (\d+) .*? key: (\{.*?\}) payload: (.*)")
_STABILIZED = re.compile(r"Stabilized group (\S+) generation (\d+) .*?with (\d+) members")


def text_of(file: Path) -> str:
    return zstandard.ZstdDecompressor().stream_reader(io.BytesIO(file.read_bytes())).read().decode()


@pytest.fixture(scope="module")
def dumped() -> list[tuple[int, dict[str, Any], dict[str, Any] | None]]:
    """(key type, key, value) of every group record that a dump of the recording prints, in the order of the logs."""
    found = {}
    for file in sorted((RECORDING / "offsets-dump").iterdir()):
        partition = re.search(r"__consumer_offsets-(\d+)", file.name)
        assert partition is not None
        for line in text_of(file).splitlines():
            match = _LINE.match(line)
            if match and int((key := json.loads(match[3]))["type"]) > 1:
                value = None if match[4] == "<DELETE>" else json.loads(match[4])["data"]
                found[int(partition[1]), int(match[1])] = int(key["type"]), key["data"], value
    assert len(found) > 350
    return [record for _, record in sorted(found.items())]


def owners(lake: Lake, column: str = "owned") -> dict[tuple[str, str, int], dict[str, str]]:
    """(group, type, generation) -> the client that has each partition."""
    rows = lake.read("silver.group_members").select(
        "group_id", "group_type", "generation", "client_id", F.explode(column).alias("of")
    )
    found: dict[tuple[str, str, int], dict[str, str]] = {}
    for row in rows.collect():
        for number in row.of.partitions:
            of_generation = found.setdefault((row.group_id, row.group_type, row.generation), {})
            place = f"{row.of.topic or row.of.topic_id}-{number}"
            assert place not in of_generation or row.group_type == "share"
            of_generation[place] = row.client_id
    return found


def test_classic_generations_with_members_are_those_of_the_dumps_and_of_the_broker_log(
    recorded_lake: Lake, dumped: list[tuple[int, dict[str, Any], dict[str, Any] | None]]
) -> None:
    printed = {
        (key["group"], value["generation"], len(value["members"]))
        for key_type, key, value in dumped
        if key_type == 2 and value and value["members"]
    }
    logged = {
        (match[1], int(match[2]), int(match[3]))
        for match in _STABILIZED.finditer(text_of(RECORDING / "broker" / "server.log.zst"))
    }
    generations = recorded_lake.read("silver.group_generations").where("group_type = 'classic' and member_count > 0")
    kept = {(row.group_id, row.generation, row.member_count) for row in generations.collect()}
    assert len(kept) > 70
    # The segments that were copied hold every one.
    assert kept == printed == logged


def test_classic_members_own_what_the_dumps_print(
    recorded_lake: Lake, dumped: list[tuple[int, dict[str, Any], dict[str, Any] | None]]
) -> None:
    printed: dict[tuple[str, str, int], dict[str, str]] = {}
    for key_type, key, value in dumped:
        if key_type == 2 and value and value["protocolType"] == "consumer" and value["members"]:
            printed[key["group"], "classic", value["generation"]] = {
                f"{of['topic']}-{number}": member["clientId"]
                for member in value["members"]
                for of in member["assignment"]["assignedPartitions"]
                for number in of["partitions"]
            }
    kept = {key: of for key, of in owners(recorded_lake).items() if key[1] == "classic"}
    assert len(kept) > 70
    assert kept == {key: of for key, of in printed.items() if of}


def test_epochs_are_the_group_records_of_the_dumps(
    recorded_lake: Lake, dumped: list[tuple[int, dict[str, Any], dict[str, Any] | None]]
) -> None:
    types = {3: "consumer", 11: "share"}
    printed = sorted(
        (types[key_type], key["groupId"], value["epoch"])
        for key_type, key, value in dumped
        if key_type in types and value
    )
    generations = recorded_lake.read("silver.group_generations").where("group_type <> 'classic'")
    assert len(printed) > 30
    assert sorted((row.group_type, row.group_id, row.generation) for row in generations.collect()) == printed


def test_targets_of_the_upgraded_group_go_from_client_to_client(recorded_lake: Lake) -> None:
    found = {key[2]: of for key, of in owners(recorded_lake).items() if key[:2] == ("customer-profile", "consumer")}
    one, two = "consumer-customer-profile-1", "consumer-customer-profile-2"
    v2 = "profile-v2-1", "profile-v2-2"
    topic = next(iter(found[1])).rsplit("-", 1)[0]
    expected = {
        1: (one, two, one, two),
        2: (one, two, v2[0], two),
        3: (one, two, v2[0], v2[1]),
        5: (v2[0], v2[1], v2[0], v2[1]),
    }
    assert found == {
        epoch: {f"{topic}-{number}": client for number, client in enumerate(clients)} for epoch, clients in expected.items()
    }  # fmt: skip


def test_idle_members_are_those_that_the_clients_saw(recorded_lake: Lake) -> None:
    truth = json.loads((RECORDING / "truth.json").read_text())["groups"]
    idle = recorded_lake.read("silver.group_members").where("group_id = 'invoice-pdf' and size(owned) = 0").collect()
    assert {row.client_id for row in idle} == set(truth["invoice-pdf"]["idle_members"])
    warned = recorded_lake.read("quality.rule_results").where("rule = 'members_do_not_outnumber_partitions'")
    assert sum(row.broken for row in warned.collect()) >= len(idle) > 0


def test_a_group_deleted_and_no_other_ends_its_incarnation(recorded_lake: Lake) -> None:
    generations = recorded_lake.read("silver.group_generations")
    assert {row.incarnation for row in generations.select("incarnation").distinct().collect()} == {1}
    gone = recorded_lake.read("silver.groups").where("deleted_at is not null").collect()
    assert {row.group_id for row in gone} >= {"tmp-migration-2024", "tmp-migration-devices"}
    assert "customer-profile" not in {row.group_id for row in gone}


def test_every_group_record_is_accepted_rejected_or_a_copy(recorded_lake: Lake) -> None:
    for table in ("silver.group_generations", "silver.group_members"):
        runs = recorded_lake.read("quality.runs").where(F.col("table_name") == table).collect()
        assert sum(run.rows_accepted for run in runs) > 100
        assert all(run.rows_in == run.rows_accepted + run.rows_rejected + run.rows_duplicate for run in runs)
        assert sum(run.rows_rejected for run in runs) == 0
    offered = recorded_lake.read("bronze.offset_records").where("kind = 'group'").count()
    runs = recorded_lake.read("quality.runs").where("table_name = 'silver.group_generations'").collect()
    assert sum(run.rows_in for run in runs) == offered
