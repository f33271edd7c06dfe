"""The state of a group at the end of a day, as silver.groups holds it on disk."""

import json

import pytest
from support.coordinator_logs import (
    TOPIC_ID,
    classic,
    current,
    epoch,
    joined,
    member,
    record,
    replayed,
    target,
    target_of,
)

from kafka_telemetry.groups.coordinator import group_state
from kafka_telemetry.groups.coordinator.group_record import GroupRecord
from kafka_telemetry.groups.state_version import UnknownStateVersion

# A member that got partitions from another, and a static one that came back under another id.
CLASSIC_LOG = (
    classic(1, member("a", 0, 1), member("old", 2, instance="i")),
    classic(2, member("a", 0), member("old", 2, 1, instance="i")),
    classic(2, member("a", 0), member("new", 2, 1, instance="i")),
)
CLASSIC_TEXT = (
    '{"version":2,'
    '"group_id":"g","incarnation":1,"generation":2,"group_type":"classic","record_offset":2,"deleted_at":null,'
    '"in_force":{"incarnation":1,"generation":2,"group_type":"classic","protocol_type":"consumer","day":20000,'
    '"recorded_at":1728000000001000,"record_offset":1,"place":null,"previous_generation":1,"complete":true,'
    '"assignor":"range","leader_member_id":"a","state_at":1000,"assigned_at":1728000000001000,"reconciled_at":null,'
    '"members":{'
    '"a":{"member_id":"a","told_on":20000,"client_id":"client-a","client_host":"/10.0.0.1","instance_id":null,'
    '"session_timeout_ms":45000,"rebalance_timeout_ms":300000,"subscribed_topics":["t"],"subscribed_regex":null,'
    '"owned":[["t",[0],null]],"claimed":[],"owned_now":null,"member_epoch":null,"replaces":[]},'
    '"new":{"member_id":"new","told_on":20000,"client_id":"client-new","client_host":"/10.0.0.1","instance_id":"i",'
    '"session_timeout_ms":45000,"rebalance_timeout_ms":300000,"subscribed_topics":["t"],"subscribed_regex":null,'
    '"owned":[["t",[2,1],null]],"claimed":[],"owned_now":null,"member_epoch":null,"replaces":["old"]}},'
    '"members_told":true},'
    '"subscribed_topics":["t"],'
    '"heap":{"members":{},"targets":{},"currents":{},"patterns":{},"names":{},"target_epoch":null},'
    '"owners":{"incarnation":1,"had":[["a","client-a",null,{"t":[0,1]}],["old","client-old","i",{"t":[2]}]],"released":[]}}'
)

# Epoch 3 is bumped for a second member while the first still waits for the target of that epoch.
CONSUMER_LOG = (
    *(record(4, {"topics": [{"topicId": TOPIC_ID, "topicName": "t"}]}), joined("a", value={"subscribedTopicRegex": "t.*"})),
    *(epoch(2), target("a", 0, 1), target_of(2), current("a", 2, 0, 1), record(16, {"topics": ["t"]}, regular_expression="t.*")),
    *(joined("b"), epoch(3), target("a", 0)),
)  # fmt: skip
CONSUMER_TEXT = (
    '{"version":2,'
    '"group_id":"g","incarnation":1,"generation":3,"group_type":"consumer","record_offset":8,"deleted_at":null,'
    '"in_force":{"incarnation":1,"generation":3,"group_type":"consumer","protocol_type":"consumer","day":20000,'
    '"recorded_at":1728000000008000,"record_offset":8,"place":null,"previous_generation":2,"complete":true,'
    '"assignor":null,"leader_member_id":null,"state_at":null,"assigned_at":null,"reconciled_at":null,'
    '"members":{'
    '"a":{"member_id":"a","told_on":20000,"client_id":"client-a","client_host":"/10.0.0.1","instance_id":null,'
    '"session_timeout_ms":null,"rebalance_timeout_ms":null,"subscribed_topics":["t"],"subscribed_regex":"t.*",'
    f'"owned":null,"claimed":null,"owned_now":[[null,[0,1],"{TOPIC_ID}"]],"member_epoch":2,"replaces":[]}},'
    '"b":{"member_id":"b","told_on":20000,"client_id":"client-b","client_host":"/10.0.0.1","instance_id":null,'
    '"session_timeout_ms":null,"rebalance_timeout_ms":null,"subscribed_topics":["t"],"subscribed_regex":null,'
    '"owned":null,"claimed":null,"owned_now":null,"member_epoch":null,"replaces":[]}},'
    '"members_told":true},'
    '"subscribed_topics":["t"],'
    '"heap":{"members":{'
    '"a":{"record_offset":1,"value":{"clientId":"client-a","clientHost":"/10.0.0.1","subscribedTopicNames":["t"],'
    '"instanceId":null,"subscribedTopicRegex":"t.*"}},'
    '"b":{"record_offset":7,"value":{"clientId":"client-b","clientHost":"/10.0.0.1","subscribedTopicNames":["t"],'
    '"instanceId":null}}},'
    f'"targets":{{"a":{{"record_offset":9,"value":{{"topicPartitions":[{{"topicId":"{TOPIC_ID}","partitions":[0]}}]}}}}}},'
    '"currents":{"a":{"record_offset":5,"value":{"memberEpoch":2,"state":0,'
    f'"assignedPartitions":[{{"topicId":"{TOPIC_ID}","partitions":[0,1]}}],"partitionsPendingRevocation":[]}}}}}},'
    '"patterns":{"t.*":{"record_offset":6,"value":{"topics":["t"]}}},'
    f'"names":{{"{TOPIC_ID}":"t"}},"target_epoch":2}},'
    '"owners":{"incarnation":1,"had":[["a","client-a",null,{"t":[0,1]}]],"released":[]}}'
)


@pytest.mark.parametrize(("log", "text"), [(CLASSIC_LOG, CLASSIC_TEXT), (CONSUMER_LOG, CONSUMER_TEXT)])
def test_a_state_is_written_as_this_text(log: tuple[GroupRecord, ...], text: str) -> None:
    assert [row["heap"] for row in replayed(*log).groups] == [text]


@pytest.mark.parametrize("text", [CLASSIC_TEXT, CONSUMER_TEXT])
def test_a_text_that_is_read_and_written_again_stays_the_same(text: str) -> None:
    group = group_state.decode(json.loads(text), complete=True)
    assert json.dumps(group_state.encode(group), ensure_ascii=False, separators=(",", ":")) == text


@pytest.mark.parametrize("version", ["", '"version":0,', '"version":3,'])
def test_a_text_of_another_version_is_not_read(version: str) -> None:
    with pytest.raises(UnknownStateVersion, match=r"reads version 2: run `lagoon run --from … --to …`"):
        group_state.decode(json.loads(CLASSIC_TEXT.replace('"version":2,', version)), complete=True)
