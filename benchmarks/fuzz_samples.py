"""Telemetry that no recording contains: a line of every message template, and the outputs of older tools and of services."""

import json
import random
import re

from kafka_telemetry.formats.logs.message_template import MessageTemplate
from kafka_telemetry.formats.logs.templates.broker_templates import BROKER_TEMPLATES
from kafka_telemetry.formats.logs.templates.java_client_templates import CLIENT_TEMPLATES
from kafka_telemetry.formats.logs.templates.other_client_templates import FRANZ_GO, KAFKA_PYTHON, LIBRDKAFKA, SARAMA

_UUID = "1dd53a7f-7f15-4268-9033-aa33785a83{:02}"
_MILLISECONDS = 1_795_000_000_000


def template_lines(chance: random.Random) -> dict[str, list[bytes]]:
    """Some lines of every message template, with small numbers and few ids, so that lines are about the same groups."""
    time = "2026-11-1{day} 10:0{minute}:{second},120"
    coordinator = "kafka.coordinator.group.GroupCoordinator"
    runtime = "[GroupCoordinator id=1 topic=__consumer_offsets partition={number}] {message}"
    layouts = {
        "Scala coordinator": (f"[{time}] INFO [GroupCoordinator 1]: {{message}} ({coordinator})\n", BROKER_TEMPLATES),
        "Java coordinator": (f"[{time}] INFO {runtime} ({coordinator}Service)\n", BROKER_TEMPLATES),
        "Java clients": (
            f"{time} INFO [main] o.a.k.ConsumerCoordinator - [Consumer clientId=c, groupId=g{{number}}] {{message}}\n",
            CLIENT_TEMPLATES,
        ),
        "clients without a date": (
            "10:0{minute}:{second}.120 [main] INFO  o.a.k.ConsumerCoordinator - [Consumer clientId=c, groupId=g] {message}\n",
            CLIENT_TEMPLATES,
        ),
        "librdkafka": ("%4|17950011{second}.034|MAXPOLL|app#consumer-1| [thrd:main]: {message}\n", LIBRDKAFKA),
        "kafka-python": (f"{time} INFO kafka.coordinator {{message}}\n", KAFKA_PYTHON),
        "franz-go": ("[INFO] {message}\n", FRANZ_GO),
        "sarama": ("[sarama] 2026/11/1{day} 10:00:{second} {message}\n", SARAMA),
    }
    return {
        name: [
            layout.format(
                day=chance.choice((7, 8, 8, 8)), minute=chance.randrange(10), second=chance.randrange(10, 60), number=chance.randrange(3),
                message=_filled(template, chance),
            ).encode()
            for template in templates
            for _ in range(3)
        ]
        for name, (layout, templates) in layouts.items()
    }  # fmt: skip


def _filled(template: MessageTemplate, chance: random.Random) -> str:
    def value(match: "re.Match[str]") -> str:
        name = match[1]
        if name == "group_id":
            return f"g{chance.randrange(3)}"
        if name.endswith("member_id") or name == "leader":
            return f"c-{_UUID.format(chance.randrange(4))}"
        if name in ("removed", "member_ids", "members"):
            return ", ".join(f"c-{_UUID.format(chance.randrange(4))}" for _ in range(chance.randrange(3)))
        if name.endswith("state"):
            return chance.choice(("Stable", "JOINING", "LEAVING", "Empty", "STALE"))
        if name == "assignment":
            return f"{{c-{_UUID.format(0)}=Assignment(partitions=[t-0, t-1]), x=Assignment(partitions=[])}}"
        if name in ("partitions", "added", "revoked", "assigned", "owned", "topic_partition"):
            return "t-0" if name == "topic_partition" else "[t-0, t-1]"
        if name.endswith("reason") or name == "reason_text":
            return chance.choice(("removing member c on LeaveGroup", "consumer poll timeout has expired.", "other"))
        if name == "instance_id":
            return chance.choice(("i", "Some(i)", "null", "None"))
        return str(chance.randrange(6))

    return re.sub(r"\{([a-z_]+)\}", value, template.text)


OLD_DUMP = """\
Dumping /d/__consumer_offsets-7/00000000000000000000.log
Starting offset: 0
offset: 3 position: 0 CreateTime: 5 size: 10 magic: 1 compresscodec: NONE crc: 7 isvalid: true
baseOffset: 0 lastOffset: 1 count: 2 baseSequence: -1 lastSequence: -1 producerId: -1 producerEpoch: -1 partitionLeaderEpoch: 0 isTransactional: false isControl: false position: 0 CreateTime: 7 size: 10 magic: 2 compresscodec: NONE crc: 7 isvalid: true
| offset: 0 isValid: true crc: null keySize: 24 valueSize: 27 CreateTime: 7 baseOffset: 0 lastOffset: 0 headerKeys: [] key: offset_commit::group=orders-x,partition=orders-1 payload: offset=459,metadata=abc
| offset: 1 CreateTime: 7 keySize: 24 valueSize: 27 sequence: 0 headerKeys: [] key: group_metadata::group=g payload: {"protocolType":"consumer","protocol":"range","generationId":1,"assignment":"{a=[t-0],b=[]:00}"}
| offset: 2 CreateTime: 7 keySize: 24 valueSize: 27 sequence: 0 headerKeys: [] key: group_metadata::group=g payload: {"protocolType":"consumer","protocol":"range","generationId":2,"assignment":"{a=[t-0, t-1]}"}
| offset: 3 CreateTime: 7 keySize: 24 valueSize: -1 sequence: 0 headerKeys: [] key: group_metadata::group=g payload: <DELETE>
| offset: 4 CreateTime: 7 keySize: 4 valueSize: 6 sequence: -1 headerKeys: [] endTxnMarker: COMMIT coordinatorEpoch: 0
Found 12 invalid bytes at the end of 00000000000000000000.log
unknown::version=5
"""
OLD_CONSOLE = """\
[g,t,1]::OffsetAndMetadata(offset=5, leaderEpoch=Optional[7], metadata=m, commitTimestamp=5, expireTimestamp=None)
[g,t,1]::OffsetAndMetadata(offset=6, leaderEpoch=Optional.empty, metadata=, commitTimestamp=1795002039544, expireTimestamp=Some(1795002039545))
[g,t,2]::NULL
G::GroupMetadata(groupId=G, generation=1, protocolType=Some(consumer), currentState=Stable, members=HashMap(M -> MemberMetadata(memberId=M, groupInstanceId=None, clientId=c, clientHost=/h, sessionTimeoutMs=1, rebalanceTimeoutMs=3, supportedProtocols=List(range), )))
G::GroupMetadata(groupId=G, generation=2, protocolType=Some(consumer), currentState=Stable, members=HashMap(M -> MemberMetadata(memberId=M, groupInstanceId=Some(i), clientId=c, clientHost=/h, sessionTimeoutMs=1, rebalanceTimeoutMs=3, supportedProtocols=List(range)), N -> MemberMetadata(memberId=N, groupInstanceId=None, clientId=c, clientHost=/h, sessionTimeoutMs=1, rebalanceTimeoutMs=3, supportedProtocols=List(range))))
G::NULL
Processed a total of 3 messages
"""


def _document(**fields: object) -> bytes:
    return json.dumps(fields).encode()


_LABELS: dict[str, object] = {
    "__name__": "kafka_consumergroup_lag",
    "consumergroup": "g",
    "topic": "a.b",
    "partition": "3",
}
_OFFSET_LABELS = {**_LABELS, "__name__": "kafka_consumergroup_current_offset"}
API_RESPONSES = [
    _document(
        status="success",
        data={
            "resultType": "matrix",
            "result": [
                {"metric": _LABELS, "values": [[1_795_000_000, "0"], [1_795_000_015.5, "1"]]},
                {"metric": _OFFSET_LABELS, "values": [[1_795_000_000, "7"]]},
                {"metric": {"__name__": "up"}, "value": [1_795_000_000, "1"]},
            ],
        },
    ),
    _document(status="success", data={"resultType": "vector", "result": [{"metric": _LABELS, "value": [1_795_000_000, "NaN"]}]}),
    _document(status="error", errorType="bad_data", error="parse error"),
]  # fmt: skip
_COMMIT = {"offset": 7, "timestamp": _MILLISECONDS, "observedAt": _MILLISECONDS, "lag": 2}
_BURROW_PARTITION = {
    "topic": "t", "partition": 0, "owner": "h", "client_id": "c", "status": "OK", "complete": 1.0, "start": _COMMIT,
    "end": _COMMIT, "current_lag": 4,
}  # fmt: skip
BURROW_RESPONSES = [
    _document(
        error=False,
        status={"cluster": "eu", "group": "g", "status": "OK", "partition_count": 1, "totallag": 4, "partitions": [_BURROW_PARTITION]},
        request={"url": "/v3/kafka/eu/consumer/g/lag"},
    ),
    _document(
        error=False,
        topics={"t": [{"offsets": [None, _COMMIT], "owner": "h", "client_id": "c", "current-lag": 3}]},
        request={"url": "/v3/kafka/eu/consumer/g"},
    ),
    _document(error=False, offsets=[5, 6, 7], request={"url": "/v3/kafka/eu/topic/t"}),
    _document(error=True, message="cluster or consumer not found", request={"url": "/v3/kafka/eu/consumer/g"}),
]  # fmt: skip
EXPORTER_LINES = [
    line.encode() + b"\n"
    for line in (
        'kafka_consumergroup_lag{consumergroup="g",partition="0",topic="t"} -1',
        'kafka_consumergroup_lag{consumergroup="g",partition="1",topic="t"} 7 1795000000000',
        'kafka_consumergroup_current_offset{consumergroup="g",partition="0",topic="t"} 1e+06',
        'kafka_topic_partition_current_offset{partition="0",topic="t"} 12',
        'kafka_consumergroup_members{consumergroup="g"} 2',
        'kminion_kafka_consumer_group_topic_partition_lag{group_id="g",partition_id="0",topic_name="t"} 3',
        'kminion_kafka_consumer_group_info{group_id="g",state="Stable",protocol="range",coordinator_id="1"} 1',
        'kafka_consumergroup_group_lag_seconds{cluster_name="c",group="g",topic="t",partition="0",client_id="i"} 0.25',
        'kafka_consumergroup_group_state{cluster_name="c",group="g"} 3',
        'kafka_consumer_group_commit_timestamp{group="g",topic="t",partition="0"} 1795000000000',
        'burrow_kafka_consumer_partition_lag{cluster="c",consumer_group="g",topic="t",partition="0"} 1.8446744073709552e+19',
        'burrow_kafka_consumer_status{cluster="c",consumer_group="g"} 2',
        'records_lag{client_id="i",topic="a.b",partition="0"} NaN',
        'records_lag{client_id="i",topic="a_b",partition="0"} 4',
        'kafka_log_Log_Value{name="LogEndOffset",topic="t",partition="0"} 9',
        "# EOF",
    )
]
