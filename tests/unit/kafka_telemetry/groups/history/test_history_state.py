"""The state of a group's history, as silver.stories holds it on disk."""

import json

import pytest
from support.history_events import broker, client, completes, joins, recorded, state_text

from kafka_telemetry.groups.history import history_state
from kafka_telemetry.groups.history.group_history import GroupHistory
from kafka_telemetry.groups.state_version import UnknownStateVersion

UUID = "6f2c0c1e-5a0b-4b52-9f53-0d3b1f5a7c11"

# A day that ends amid a rebalance: a left, b was assigned an id, c joined, and a static member is back under an unnamed
# id.
AMID_A_REBALANCE = [
    *(*joins(1, "a", 0), client(1.5, "joined", "a", client_id="app", generation=1, origin="pod"), *completes(2, 1, 1)),
    client(2.6, "partitions_assigned", client_id="app", origin="pod", details={"partitions": "t-0, t-1"}),
    client(5.9, "partitions_revoked", client_id="app", origin="pod", details={"partitions": "[t-0, t-1]"}),
    broker(3, "static_member_replaced", instance_id="pod", details={"old_member_id": "old"}),
    *(broker(4, "member_id_assigned", f"b-{UUID}"), broker(5, "member_joined", "c", client_id="цикл")),
    broker(6, "member_left", "a", reason="poll_interval", reason_text="consumer poll timeout has expired."),
    client(6, "leave_sent", "a", client_id="app", reason="poll_interval"),
    broker(6.01, "preparing_rebalance", "a", generation=1, reason="member_left"),
    broker(6.5, "subscription_updated", "d", details={"group_kind": "classic"}),
]
TEXT = (
    '{"version":2,'
    '"sessions":[{"member_id":"c","joined_at":5000000,"client_id":"цикл","client_host":null,"instance_id":null,'
    '"session_timeout_ms":null,"ended_at":null,"ended_by":null,"generations":0,"by_broker":0,"by_client":0,"last_generation":null,'
    '"next_member_id":null,"gone_by_broker":false}],'
    '"log":{"incarnation":1,"lost":1,"last_generation":1,"old_generation":1,'
    '"pending":{"generation":-1,"started_at":6010000,"stabilized_at":null,"completed_at":null,'
    '"reason":"poll_interval","reason_text":"consumer poll timeout has expired.","trigger_member_id":"a",'
    '"trigger_client_id":null,"member_count":null,"members_before":null,"joined":null,"left":null,"evicted":null,'
    '"assignor":null,"by_epoch":false,"group_type":null,"sides":[],"told_at":null,"synced_at":null,"members":null,'
    '"partitions":null},'
    '"cause":{"at":6500000,"reason":"subscription_or_topics_changed","reason_text":null,"trigger_member_id":"d",'
    '"trigger_client_id":null},'
    '"metadata_hash":null,"count":1,"group_kind":"classic","came":["c"],"went":[["a","poll_interval"]],'
    f'"assigned":{{"b-{UUID}":4000000}},"returned":{{"pod":3000000}}}},'
    '"clients":{"last_generation":null,"word":{"reason":"poll_interval","reason_text":null,"trigger_member_id":"a",'
    '"trigger_client_id":"app"}},'
    '"before":{"incarnation":1,"generation":1,"members":["a"],"member_count":1,"partitions_assigned":3,"by_broker":true},'
    '"changed_at":2500000,'
    '"reading":{"readings":[{"partitions":[["t",0],["t",1]],"member_id":"a","client_id":"app","instance_id":null,'
    '"log":["pod","app"],"incarnation":1,"since":2600000,"stopped_at":5900000,"stopped_by":"revoked","ended_at":6000000,'
    '"ended_by":"poll_interval","session_timeout_ms":null}],'
    '"clients":[{"log":["pod","app"],"member_id":"a","instance_id":null,"generation":1,"seen_at":5900000}]}}'
)


def test_a_state_is_written_as_this_text() -> None:
    history = GroupHistory()
    history.add_day(AMID_A_REBALANCE, [recorded(2, 1, "a", partitions_assigned=3)])
    assert state_text(history) == TEXT


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        TEXT.replace('"word":{"reason":"poll_interval","reason_text":null,"trigger_member_id":"a","trigger_client_id":"app"}', '"word":{}'),
        state_text(GroupHistory()),
    ],
)  # fmt: skip
def test_a_text_that_is_read_and_written_again_stays_the_same(text: str) -> None:
    assert state_text(GroupHistory(history_state.decode(json.loads(text)))) == text


def test_a_history_without_members_and_generations_leaves_no_state() -> None:
    assert GroupHistory().state().is_empty
    assert not history_state.decode(json.loads(TEXT)).is_empty


@pytest.mark.parametrize("version", ["", '"version":1,', '"version":3,', '"version":"2",'])
def test_a_text_of_another_version_is_not_read(version: str) -> None:
    with pytest.raises(UnknownStateVersion, match=r"reads version 2: run `lagoon run --from … --to …`"):
        history_state.decode(json.loads(TEXT.replace('"version":2,', version)))
