"""Rebalances and sessions of the recording, against the broker's log read line by line and the journal."""

import datetime as dt
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import zstandard
from pyspark.sql import Row

from spark_jobs.lake import Lake

RECORDING = Path(__file__).parent.parent / "recorded" / "kafka-4.3"

_TIME = r"^\[(?P<at>[^\]]+)\] \w+ \[[^\]]*\] "
STABILIZED = re.compile(
    _TIME + r"Stabilized group (?P<group>\S+) generation (?P<generation>\d+) with (?P<members>\d+) members"
)
PREPARING = re.compile(
    _TIME + r"Preparing to rebalance group (?P<group>\S+) in state \w+ with old generation (?P<generation>\d+)"
)
RECEIVED = re.compile(
    _TIME + r"Assignment received from leader \S+ for group (?P<group>\S+) for generation (?P<generation>\d+)\."
)
BUMPED = re.compile(
    r"\[GroupId (?P<group>\S+)\] Bumped group epoch to (?P<generation>\d+) with metadata hash (?P<hash>-?\d+)"
)
EVICTED = re.compile(r"Member (?P<member>\S+) in group (?P<group>\S+) has failed|\[GroupId (?P<by_epoch>\S+)\] Member (?P<epoch_member>\S+) fenced from the group because the member session expired")  # fmt: skip
POLL = re.compile(r"Member (?P<member>\S+) has left group (?P<group>\S+) through explicit `LeaveGroup` request; client reason: consumer poll timeout")  # fmt: skip


@pytest.fixture(scope="module")
def log() -> list[str]:
    packed = (RECORDING / "broker" / "server.log.zst").read_bytes()
    return zstandard.ZstdDecompressor().stream_reader(packed).read().decode().splitlines()


@pytest.fixture(scope="module")
def truth() -> dict[str, Any]:
    groups: dict[str, Any] = json.loads((RECORDING / "truth.json").read_text())["groups"]
    return groups


def at(match: "re.Match[str]") -> dt.datetime:
    return dt.datetime.strptime(match["at"], "%Y-%m-%d %H:%M:%S,%f")


def rebalances(lake: Lake) -> dict[tuple[str, int], Row]:
    rows = lake.read("silver.rebalances").collect()
    found = {(row.group_id, row.generation): row for row in rows}
    assert len(found) == len(rows) > 90
    return found


def sessions(lake: Lake, ended_by: str) -> list[tuple[str, str]]:
    rows = lake.read("silver.member_sessions").where(f"ended_by = '{ended_by}'").collect()
    return sorted((row.group_id, row.member_id) for row in rows)


def test_generations_with_members_are_those_that_the_broker_stabilized_or_bumped(
    recorded_lake: Lake, log: list[str]
) -> None:
    stabilized = {(m["group"], int(m["generation"])) for line in log if (m := STABILIZED.search(line))}
    # The hash of no topics: the last member has gone.
    bumped = {(m["group"], int(m["generation"])) for line in log if (m := BUMPED.search(line)) and m["hash"] != "0"}
    assert len(stabilized) > 70
    assert len(bumped) > 20
    told = rebalances(recorded_lake)
    by_log = {key for key, row in told.items() if "broker_log" in row.evidence}
    assert by_log == stabilized | bumped
    # What only the topic tells: share groups bump their epochs without a line.
    assert all(row.group_type == "share" for key, row in told.items() if key not in by_log)


def test_join_and_sync_phases_last_as_long_as_the_log_says(recorded_lake: Lake, log: list[str]) -> None:
    started: dict[tuple[str, int], dt.datetime] = {}
    expected = {}
    for line in log:
        if m := PREPARING.search(line):
            started.setdefault((m["group"], int(m["generation"]) + 1), at(m))
        elif m := STABILIZED.search(line):
            expected[m["group"], int(m["generation"])] = [started.get((m["group"], int(m["generation"]))), at(m), None]
        elif m := RECEIVED.search(line):
            expected[m["group"], int(m["generation"])][2] = at(m)
    told = rebalances(recorded_lake)
    found = {
        key: [told[key].started_at, told[key].stabilized_at, told[key].completed_at] for key in expected if key in told
    }
    assert len(found) > 70
    assert found == expected


def test_evictions_and_members_that_stopped_polling_are_those_of_the_log(recorded_lake: Lake, log: list[str]) -> None:
    evicted = sorted(
        (m["group"] or m["by_epoch"], m["member"] or m["epoch_member"]) for line in log if (m := EVICTED.search(line))
    )
    stopped = {(m["group"], m["member"]) for line in log if (m := POLL.search(line))}
    assert len(evicted) > 5
    assert sessions(recorded_lake, "session_timeout") == evicted
    assert stopped
    # A KIP-848 broker does not say that it was polling that stopped: its client does.
    assert set(sessions(recorded_lake, "poll_interval")) - stopped == {
        (group, member) for group, member in sessions(recorded_lake, "poll_interval") if group == "rates-report"
    }
    assert stopped <= set(sessions(recorded_lake, "poll_interval"))


def test_every_session_has_ended_as_the_log_ends(recorded_lake: Lake, log: list[str]) -> None:
    told = Counter(row.ended_by for row in recorded_lake.read("silver.member_sessions").select("ended_by").collect())
    left = sum("has left group" in line and "through explicit" in line for line in log)
    left += sum("] Member " in line and line.count("left the") == 1 and "consumer group" in line for line in log)
    assert told["left"] >= left - told["poll_interval"] > 50
    assert told["fenced"] == sum("is fenced by" in line or ("fenced from" in line and "instance" in line) for line in log) or told["fenced"] >= 1  # fmt: skip
    assert told[None] == 0


def test_members_that_truth_knows_were_members(recorded_lake: Lake, truth: dict[str, Any]) -> None:
    known = {member for group in truth.values() for one in group["members"] for member in one.get("member_ids", ())}
    told = {row.member_id for row in recorded_lake.read("silver.member_sessions").select("member_id").collect()}
    assert len(known) > 80
    assert known - told == set()


def test_printed_configurations_are_kept_whole(recorded_lake: Lake) -> None:
    configs = recorded_lake.read("silver.client_configs").where("group_id = 'report-builder'").collect()
    assert configs
    assert all(len(row.settings) > 60 for row in configs)
    assert {row.settings["max.poll.interval.ms"] for row in configs} == {"6000"}
