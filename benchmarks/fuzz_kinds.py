"""The kinds of telemetry that are fuzzed: whole pieces of each, mostly recorded ones, and the reader of their files."""

import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import BinaryIO, NamedTuple

from benchmarks.fuzz_mutations import mutate
from benchmarks.fuzz_records import damage_batch, record_batches
from kafka_telemetry.formats.compression import decompress
from kafka_telemetry.formats.dumps.dump_reader import read_offset_dump
from kafka_telemetry.formats.lag.lag_reader import read_lag_file
from kafka_telemetry.formats.logs.log_reader import read_log_file
from kafka_telemetry.formats.logs.message_template import MessageTemplate
from kafka_telemetry.formats.logs.templates.broker_templates import BROKER_TEMPLATES
from kafka_telemetry.formats.logs.templates.java_client_templates import CLIENT_TEMPLATES
from kafka_telemetry.formats.logs.templates.other_client_templates import FRANZ_GO, KAFKA_PYTHON, LIBRDKAFKA, SARAMA
from kafka_telemetry.formats.receipt import Reading

RECORDED = Path(__file__).parents[1] / "tests" / "recorded"
RECORDED_ON = date(2026, 11, 18)
_MOST_PIECES = 3_000
_UUID = "1dd53a7f-7f15-4268-9033-aa33785a83{:02}"
_LINE = re.compile(rb"(?<=\n)")
_CONSOLE_OBJECT = re.compile(rb'(?=\{"key":)')
_MILLISECONDS = 1_795_000_000_000


class FuzzedKind(NamedTuple):
    """`pieces` are damaged one by one, and so many of them are a file. `head` is in front of each file."""

    name: str
    table: str
    read: Callable[[BinaryIO, str], Reading]
    pieces: Sequence[bytes]
    pieces_in_file: int
    share: float
    file_name: str = "server.log"
    head: bytes = b""
    damage: Callable[[bytes, bytes, random.Random], bytes] = mutate


def fuzzed_kinds(chance: random.Random) -> list[FuzzedKind]:
    kafka, log4j = rb"(?m)^(?=\[\d{4}-)", rb"(?m)^(?=\d{4}-)"
    client_entries = _entries("*/clients/*/app.log.zst", log4j, chance)
    lag = "lag-20261118T112900Z.txt"
    return [
        _logs("broker log", _entries("*/broker/server.log.zst", kafka, chance), 0.08),
        _logs("client logs", client_entries, 0.08),
        _logs("printed configurations", [entry for entry in client_entries if b"Config values" in entry], 0.02),
        _logs("JSON lines", list(_as_json(client_entries)), 0.06),
        *(_logs(f"templates of {name}", lines, 0.04) for name, lines in _template_lines(chance).items()),
        _dumps("kafka-dump-log", _lines("*/offsets-dump/*.txt.zst", chance), 0.1, "Dumping a/__consumer_offsets-1/0.log\n"),
        _dumps("kafka-dump-log up to 3.7", _OLD_DUMP.encode().splitlines(keepends=True), 0.04),
        _dumps("console JSON", _split("*/console-consumer/*.zst", _CONSOLE_OBJECT, chance), 0.08),
        _dumps("console text", _OLD_CONSOLE.encode().splitlines(keepends=True), 0.04, "[g,t,1]::NULL\n"),
        FuzzedKind(
            "segments", "bronze.offset_records", read_offset_dump, record_batches(chance), 4, 0.15,
            "__consumer_offsets-1/0.log", damage=damage_batch,
        ),
        *(
            FuzzedKind(f"describe {view}", "bronze.lag_readings", read_lag_file, *_table(f"*/lag/describe*{view}-*", lag, chance))
            for view in ("offsets", "members", "state")
        ),
        FuzzedKind("get-offsets", "bronze.lag_readings", read_lag_file, _lines("*/lag/end-*", chance), 10, 0.04, f"end-{lag}"),
        FuzzedKind("Prometheus text", "bronze.lag_readings", read_lag_file, _lines("*/metrics/*/*", chance), 20, 0.08, lag),
        FuzzedKind("Prometheus API", "bronze.lag_readings", read_lag_file, _API_RESPONSES, 1, 0.05, lag),
        FuzzedKind("Burrow", "bronze.lag_readings", read_lag_file, _BURROW_RESPONSES, 1, 0.05, "burrow.json"),
    ]  # fmt: skip


def _logs(name: str, pieces: Sequence[bytes], share: float) -> FuzzedKind:
    return FuzzedKind(name, "bronze.log_lines", _read_log, pieces, 60, share)


def _dumps(name: str, pieces: Sequence[bytes], share: float, head: str = "") -> FuzzedKind:
    return FuzzedKind(name, "bronze.offset_records", read_offset_dump, pieces, 12, share, "dump.txt", head.encode())


def _read_log(file: BinaryIO, name: str) -> Reading:
    return read_log_file(file, name, timezone="America/New_York", delivery_day=RECORDED_ON)


def _recorded(pattern: str) -> Iterator[bytes]:
    for path in sorted(RECORDED.glob(pattern)):
        with path.open("rb") as file:
            yield decompress(file).read()


def _split(pattern: str, separator: "re.Pattern[bytes]", chance: random.Random) -> list[bytes]:
    pieces = [piece for content in _recorded(pattern) for piece in re.split(separator, content) if piece.strip()]
    return chance.sample(pieces, min(len(pieces), _MOST_PIECES))


def _lines(pattern: str, chance: random.Random) -> list[bytes]:
    return _split(pattern, _LINE, chance)


def _entries(pattern: str, start: bytes, chance: random.Random) -> list[bytes]:
    entries = _split(pattern, re.compile(start), chance)
    return [entry for entry in entries if b"oordinator" in entry or b"onsumer" in entry]


def _table(pattern: str, file_name: str, chance: random.Random) -> tuple[list[bytes], int, float, str, bytes]:
    lines = _lines(pattern, chance)
    header = next(line for line in lines if line.startswith(b"GROUP "))
    return lines, 8, 0.04, file_name, header


def _as_json(entries: Sequence[bytes]) -> Iterator[bytes]:
    for entry in entries:
        match = re.match(r"(\S+ \S+) (\w+) +\[(.*?)\] (\S+) - (.*)", entry.decode(), re.DOTALL)
        if match:
            time, level, thread, logger, message = match.groups()
            names = {"@timestamp": time, "level": level, "thread_name": thread, "logger_name": logger}
            yield json.dumps({**names, "message": message.rstrip()}).encode() + b"\n"


def _template_lines(chance: random.Random) -> dict[str, list[bytes]]:
    """Some lines of every message template, with small numbers and few ids, so that lines are about the same groups."""
    time = "2026-11-18 10:0{minute}:{second},120"
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
        "sarama": ("[sarama] 2026/11/18 10:00:{second} {message}\n", SARAMA),
    }
    return {
        name: [
            layout.format(
                minute=chance.randrange(10), second=chance.randrange(10, 60), number=chance.randrange(3),
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


_OLD_DUMP = """\
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
_OLD_CONSOLE = """\
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
_API_RESPONSES = [
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
_BURROW_RESPONSES = [
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
