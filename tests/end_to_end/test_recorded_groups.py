"""Groups of the recording of Kafka 4.3, compared with the output of kafka-dump-log, the broker's log and the clients' journal."""

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
import zstandard
from pyspark.sql import functions as F
from support.recorded_logs import RECORDED, broker_log, groups_in_truth

from spark_jobs.lake.tables import Lake

_DUMPED_RECORD = re.compile(r"\| offset: (\d+) \w+: (\d+) .*? key: (\{.*?\}) payload: (.*)")
_STABILIZED = re.compile(r"Stabilized group (\S+) generation (\d+) .*?with (\d+) members")

# (key type, key, value)
GroupRecord = tuple[int, dict[str, Any], dict[str, Any] | None]


def text_of(file: Path) -> str:
    return zstandard.ZstdDecompressor().stream_reader(io.BytesIO(file.read_bytes())).read().decode()


@pytest.fixture(scope="module")
def dumped_records() -> list[GroupRecord]:
    """Every group record in the recorded outputs of kafka-dump-log, in log order."""
    records = {}
    for file in sorted((RECORDED / "kafka-4.3" / "offsets-dump").iterdir()):
        partition = re.search(r"__consumer_offsets-(\d+)", file.name)
        assert partition is not None
        for line in text_of(file).splitlines():
            match = _DUMPED_RECORD.match(line)
            if match and int((key := json.loads(match[3]))["type"]) > 1:
                value = None if match[4] == "<DELETE>" else json.loads(match[4])["data"]
                records[int(partition[1]), int(match[1])] = int(key["type"]), key["data"], value
    assert len(records) > 350
    return [record for _, record in sorted(records.items())]


def owners(lake: Lake) -> dict[tuple[str, str, int], dict[str, str]]:
    """(group, type, generation) -> partition -> the client that owns it."""
    rows = lake.read("silver.group_members").select(
        "group_id", "group_type", "generation", "client_id", F.explode("owned").alias("topic")
    )
    found: dict[tuple[str, str, int], dict[str, str]] = {}
    for row in rows.collect():
        for number in row.topic.partitions:
            clients = found.setdefault((row.group_id, row.group_type, row.generation), {})
            partition = f"{row.topic.topic or row.topic.topic_id}-{number}"
            assert partition not in clients or row.group_type == "share"
            clients[partition] = row.client_id
    return found


def test_classic_generations_with_members_are_those_in_the_dumps_and_in_the_broker_log(
    recorded_lake: Lake, dumped_records: list[GroupRecord]
) -> None:
    printed = {
        (key["group"], value["generation"], len(value["members"]))
        for key_type, key, value in dumped_records
        if key_type == 2 and value and value["members"]
    }
    logged = {(match[1], int(match[2]), int(match[3])) for match in _STABILIZED.finditer(broker_log("kafka-4.3"))}
    generations = recorded_lake.read("silver.group_generations").where("group_type = 'classic' and member_count > 0")
    found = {(row.group_id, row.generation, row.member_count) for row in generations.collect()}
    assert len(found) > 70
    # The copied segments hold every generation.
    assert found == printed == logged


def test_classic_members_own_the_partitions_that_the_dumps_assign_to_them(
    recorded_lake: Lake, dumped_records: list[GroupRecord]
) -> None:
    printed: dict[tuple[str, str, int], dict[str, str]] = {}
    for key_type, key, value in dumped_records:
        if key_type == 2 and value and value["protocolType"] == "consumer" and value["members"]:
            printed[key["group"], "classic", value["generation"]] = {
                f"{assigned['topic']}-{number}": member["clientId"]
                for member in value["members"]
                for assigned in member["assignment"]["assignedPartitions"]
                for number in assigned["partitions"]
            }
    found = {key: clients for key, clients in owners(recorded_lake).items() if key[1] == "classic"}
    assert len(found) > 70
    assert found == {key: clients for key, clients in printed.items() if clients}


def test_epochs_are_those_of_the_dumped_group_records(recorded_lake: Lake, dumped_records: list[GroupRecord]) -> None:
    types = {3: "consumer", 11: "share"}
    printed = sorted(
        (types[key_type], key["groupId"], value["epoch"])
        for key_type, key, value in dumped_records
        if key_type in types and value
    )
    generations = recorded_lake.read("silver.group_generations").where("group_type <> 'classic'")
    assert len(printed) > 30
    assert sorted((row.group_type, row.group_id, row.generation) for row in generations.collect()) == printed


def test_target_assignments_of_an_upgraded_group_move_from_the_old_clients_to_the_new_ones(recorded_lake: Lake) -> None:
    found = {key[2]: clients for key, clients in owners(recorded_lake).items() if key[:2] == ("customer-profile", "consumer")}  # fmt: skip
    old_1, old_2 = "consumer-customer-profile-1", "consumer-customer-profile-2"
    new_1, new_2 = "profile-v2-1", "profile-v2-2"
    topic = next(iter(found[1])).rsplit("-", 1)[0]
    expected = {
        1: (old_1, old_2, old_1, old_2),
        2: (old_1, old_2, new_1, old_2),
        3: (old_1, old_2, new_1, new_2),
        5: (new_1, new_2, new_1, new_2),
    }
    assert found == {
        epoch: {f"{topic}-{number}": client for number, client in enumerate(clients)} for epoch, clients in expected.items()
    }  # fmt: skip


def test_idle_members_are_those_of_the_journal(recorded_lake: Lake) -> None:
    expected = groups_in_truth("kafka-4.3")["invoice-pdf"]["idle_members"]
    idle = recorded_lake.read("silver.group_members").where("group_id = 'invoice-pdf' and size(owned) = 0").collect()
    assert {row.client_id for row in idle} == set(expected)
    results = recorded_lake.read("quality.rule_results").where("rule = 'members_do_not_outnumber_partitions'")
    assert sum(row.broken for row in results.collect()) >= len(idle) > 0


def test_deleted_groups_have_a_time_of_deletion_and_an_upgraded_group_has_none(recorded_lake: Lake) -> None:
    generations = recorded_lake.read("silver.group_generations")
    assert {row.incarnation for row in generations.select("incarnation").distinct().collect()} == {1}
    deleted = recorded_lake.read("silver.groups").where("deleted_at is not null").collect()
    assert {row.group_id for row in deleted} >= {"tmp-migration-2024", "tmp-migration-devices"}
    assert "customer-profile" not in {row.group_id for row in deleted}


def test_every_group_record_is_counted_as_accepted_or_duplicate(recorded_lake: Lake) -> None:
    for table in ("silver.group_generations", "silver.group_members"):
        runs = recorded_lake.read("quality.runs").where(F.col("table_name") == table).collect()
        assert sum(run.rows_accepted for run in runs) > 100
        assert all(run.rows_in == run.rows_accepted + run.rows_rejected + run.rows_duplicate for run in runs)
        assert sum(run.rows_rejected for run in runs) == 0
        assert sum(run.rows_accepted for run in runs) == recorded_lake.read(table).count()
    records = recorded_lake.read("bronze.offset_records").where("kind = 'group'").count()
    runs = recorded_lake.read("quality.runs").where("table_name = 'silver.group_generations'").collect()
    assert sum(run.rows_in for run in runs) == records
