"""Lines of brokers and consumers of 3.9.1 (new coordinator), 4.0.0, 4.1.1 and 4.2.0, in various layouts."""

from datetime import UTC, datetime

import pytest
from support.recorded_logs import read_log

KOLKATA = "Asia/Kolkata"
MANAGER = "(org.apache.kafka.coordinator.group.GroupMetadataManager)"
RUNTIME = "(org.apache.kafka.coordinator.group.runtime.CoordinatorRuntime)"


def test_a_group_may_be_named_null() -> None:
    """A broker knows no group without a name; a client without a group prints null."""
    line = "[2026-11-19 11:46:05,590] INFO [GroupCoordinator 1]: Stabilized group null generation 1 (__consumer_offsets-0) "
    (row,), _ = read_log(f"{line}with 1 members (kafka.coordinator.group.GroupCoordinator)\n")
    assert row["group_id"] == "null"
    line = "[2026-11-19 11:46:05,590] INFO [Consumer clientId=a, groupId=null] Seeking to offset 5 for partition t-0"
    (row,), _ = read_log(f"{line} (org.apache.kafka.clients.consumer.internals.LegacyKafkaConsumer)\n")
    assert (row["client_id"], row["group_id"]) == ("a", None)


STREAMS = f"[2026-11-19 11:46:05,590] INFO [GroupCoordinator id=1] [GroupId s [1]][MemberId {'M' * 22}] "


@pytest.mark.parametrize(
    ("message", "event", "columns"),
    [
        ("Member {} left the streams group.", "member_left", {"reason": "member_left"}),
        ("Member joins the streams group.", "member_joined", {"reason": "member_joined"}),
        (
            "Bumped streams group epoch to 2 with metadata hash 8231086203929477888 and validated topic epoch -1.",
            "epoch_bumped",
            {"generation": 2},
        ),
    ],
)
def test_the_group_and_the_member_of_a_scope_are_captured(message: str, event: str, columns: dict[str, object]) -> None:
    """As printed by 4.2.0; a group's name may contain brackets."""
    (row,), receipt = read_log(f"{STREAMS}{message.format('M' * 22)} {MANAGER}\n")
    assert receipt.understood == 1
    assert {name: row[name] for name in ("event", "group_id", "member_id", *columns)} == {
        "event": event, "group_id": "s [1]", "member_id": "M" * 22, **columns,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("line", "event", "columns"),
    [
        (
            "2026-11-19 02:37:42,412 INFO [group-coordinator-event-processor-0] [GroupCoordinator id=1 "
            "topic=__consumer_offsets partition=0] [GroupId k848 range [2]] Member v8p20kkATwOWPsHac1I80Q fenced from the "
            f"group because the member session expired.. {MANAGER}",
            "member_expired",
            {"group_id": "k848 range [2]", "member_id": "v8p20kkATwOWPsHac1I80Q", "reason": "session_timeout"},
        ),
        (
            "2026-11-19T07:17:58,618 INFO [group-coordinator-event-processor-3] [GroupCoordinator id=1 "
            "topic=__consumer_offsets partition=0] [GroupId rx: member epoch 5] Bumped group epoch to 1 with metadata hash "
            f"0. {MANAGER}",
            "epoch_bumped",
            {"group_id": "rx: member epoch 5", "generation": 1, "offsets_partition": 0},
        ),
        (
            "2026-11-18T22:35:51,632 INFO [group-coordinator-event-processor-2] [GroupCoordinator id=1 "
            f"topic=__consumer_offsets partition=0] [GroupId k848 range [2]] Bumped group epoch to 1. {MANAGER}",
            "epoch_bumped",
            {"group_id": "k848 range [2]", "generation": 1},
        ),
        (
            "2026-11-19 02:35:45,592 ERROR [group-coordinator-event-processor-0] [GroupCoordinator id=1] Writing records to "
            "__consumer_offsets-4 failed due to: For requests intended only for the leader, this error indicates that the "
            f"broker is not the current leader.. {RUNTIME}\norg.apache.kafka.common.errors.NotLeaderOrFollowerException: x",
            "persist_failed",
            {"offsets_partition": 4},
        ),
        (
            '{"@timestamp":"2026-11-19T02:36:39.746Z","@version":"1","message":"[Consumer clientId=ac2, groupId=auto.848-4] '
            "GroupHeartbeatRequest failed because the group coordinator Optional[127.0.0.1:39210 (id: 2147483646 rack: "
            'null)] is still loading.Will retry in 1000ms: null","logger_name":"org.apache.kafka.clients.consumer.internals.'
            'HeartbeatRequestManager","thread_name":"consumer_background_thread","level":"INFO","level_value":20000}',
            "heartbeat_failed",
            {"group_id": "auto.848-4", "client_id": "ac2"},
        ),
        (
            "2026-11-19T07:21:34.367+05:30  INFO 4711 --- [shop-svc] [ckground_thread] o.a.k.c.c.i.CommitRequestManager"
            "         : [Consumer clientId=x1, groupId=k848 range [2]] OffsetCommit timeout expired so it won't be retried "
            "anymore",
            "commit_failed",
            {"group_id": "k848 range [2]", "client_id": "x1"},
        ),
    ],
)
def test_lines_of_newer_versions_are_understood(line: str, event: str, columns: dict[str, object]) -> None:
    (row,), receipt = read_log(f"{line}\n", timezone=KOLKATA)
    assert (row["event"], receipt.not_understood) == (event, 0)
    assert {name: row[name] for name in columns} == columns


def test_a_time_in_another_layout_is_in_the_zone_of_the_cluster() -> None:
    line = (
        "2026-11-19T07:17:58,618 INFO [group-coordinator-event-processor-3] [GroupCoordinator id=1 topic=__consumer_offsets "
        f"partition=0] [GroupId a [1]] Member V-Ggw-BDSB-8l2nwxOyjEg left the consumer group. {MANAGER}\n"
    )
    (row,), _ = read_log(line, timezone=KOLKATA)
    assert row["happened_at"] == datetime(2026, 11, 19, 1, 47, 58, 618_000, UTC)


@pytest.mark.parametrize(
    "message", ["Closing coordinator runtime.", "Coordinator runtime closed.", "Event processor closed."]
)
def test_lines_about_the_stop_of_a_coordinator_are_ignored(message: str) -> None:
    line = (
        '{"@timestamp":"2026-11-19T01:57:15.702Z","ecs.version":"1.2.0","log.level":"INFO","message":"[GroupCoordinator id=1] '
        f'{message}","process.thread.name":"kafka-shutdown-hook",'
        '"log.logger":"org.apache.kafka.coordinator.common.runtime.CoordinatorRuntime"}\n'
    )
    rows, receipt = read_log(line)
    assert rows == []
    assert (receipt.records, receipt.ignored, receipt.not_understood) == (1, 1, 0)
