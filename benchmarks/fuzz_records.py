"""Segments with records of few groups, members and topics, so that they contradict each other in every way."""

import random
from typing import Any

from benchmarks.fuzz_mutations import mutate
from benchmarks.sample_records import random_struct
from kafka_telemetry.formats.segments.batch_layout import ATTRIBUTES_AT, HEADER_SIZE
from kafka_telemetry.formats.segments.record_encoding import encode_key, encode_value
from kafka_telemetry.formats.segments.record_schema import KEYS, VALUES, Json
from kafka_telemetry.formats.segments.segment_writer import CODECS, Batch, Record, encode_batch, with_valid_crc

_BATCHES = 600
_START_TIME = 1_795_000_000_000
_TOPIC_IDS = ("AAAAAAAAAAAAAAAAAAAAAA", "V-Ggw-BDSB-8l2nwxOyjEg", "wR3Jj0WOTvCRJKPvKCqLJg")
_INT32 = (-(2**31), -2, -1, 0, 1, 2, 5, 2**31 - 1)


def record_batches(chance: random.Random) -> list[bytes]:
    batches = []
    for number in range(_BATCHES):
        types = chance.choices(
            sorted(KEYS), weights=[9 if kind == 2 else 1 for kind in sorted(KEYS)], k=chance.randrange(1, 7)
        )
        records = [_record(number * 10 + i, kind, chance) for i, kind in enumerate(types)]
        batches.append(encode_batch(Batch(records, chance.choice(CODECS))))
    return batches


def damage_batch(batch: bytes, other: bytes, chance: random.Random) -> bytes:
    """Mostly damages what the CRC covers and corrects the CRC: else no damage would get past it."""
    if chance.random() < 0.2 or len(batch) <= HEADER_SIZE:
        return mutate(batch, other, chance)
    damaged = bytearray(batch)
    for _ in range(chance.randrange(3)):
        at = chance.randrange(chance.choice((0, ATTRIBUTES_AT, HEADER_SIZE)), len(damaged))
        damaged[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
    return with_valid_crc(bytes(damaged))


def _record(offset: int, key_type: int, chance: random.Random) -> Record:
    key = _with_few_names(random_struct(KEYS[key_type], 0, chance), chance)
    time = _START_TIME + chance.randrange(1000)
    if chance.random() < 0.15:
        return Record(offset, time, encode_key(key_type, key), None)
    layout = chance.choice(VALUES[key_type])
    version = chance.choice(layout.versions)
    value = _with_few_names(random_struct(layout.fields, version, chance), chance)
    return Record(offset, time, encode_key(key_type, key), encode_value(key_type, version, value))


def _with_few_names(fields: dict[str, Json], chance: random.Random) -> dict[str, Json]:
    return {name: _few(name, value, chance) for name, value in fields.items()}


def _few(name: str, value: Json, chance: random.Random) -> Any:
    if name in ("group", "groupId"):
        return f"g{chance.randrange(3)}"
    if name in ("memberId", "leader"):
        return f"m{chance.randrange(4)}"
    if name in ("instanceId", "groupInstanceId"):
        return chance.choice((None, None, "i"))
    if name in ("topic", "topicName"):
        return _topic(chance)
    if name == "topicId":
        return chance.choice(_TOPIC_IDS)
    if name == "subscribedTopicNames" or (name == "topics" and value and isinstance(value[0], str)):
        return [_topic(chance) for _ in range(chance.randrange(3))]
    if name in ("subscribedTopicRegex", "regularExpression"):
        return chance.choice(("", "t.*"))
    if name == "protocolType":
        return chance.choice(("consumer", "consumer", "consumer", "connect", ""))
    if name == "subscription" and chance.random() < 0.8:
        owned = [_owned(chance) for _ in range(chance.randrange(2))]
        topics = [_topic(chance) for _ in range(chance.randrange(3))]
        return {"topics": topics, "userData": None, "ownedPartitions": owned, "generationId": 1, "rackId": None}
    if name == "assignment" and chance.random() < 0.8:
        return {"assignedPartitions": [_owned(chance) for _ in range(chance.randrange(3))], "userData": None}
    if name in (
        "epoch",
        "generation",
        "memberEpoch",
        "assignmentEpoch",
        "sessionTimeout",
        "rebalanceTimeoutMs",
        "state",
    ):
        return chance.choice(_INT32 if name != "state" else (0, 1, 2, -1))
    if name == "partitions" and isinstance(value, list):
        return [chance.choice((*range(4), *_INT32)) for _ in range(chance.randrange(4))]
    if isinstance(value, list):
        return [_with_few_names(item, chance) if isinstance(item, dict) else item for item in value]
    return _with_few_names(value, chance) if isinstance(value, dict) else value


def _owned(chance: random.Random) -> dict[str, Json]:
    return {"topic": _topic(chance), "partitions": chance.choices((*range(6), *_INT32), k=chance.randrange(4))}


def _topic(chance: random.Random) -> str:
    return f"t{chance.randrange(3)}"
