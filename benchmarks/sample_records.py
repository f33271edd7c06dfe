"""Generates random records of every type from the schema, and large segments of them."""

import base64
import random
import string
import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from kafka_telemetry.formats.segments.batch_layout import LAST_OFFSET_DELTA_AT
from kafka_telemetry.formats.segments.record_encoding import encode_embedded, encode_key, encode_value
from kafka_telemetry.formats.segments.record_schema import (
    EMBEDDED,
    KEYS,
    VALUES,
    Embedded,
    Field,
    Json,
    ListOf,
    Struct,
    Type,
    fields_of,
    is_struct,
)
from kafka_telemetry.formats.segments.segment_writer import Batch, Codec, Record, encode_batch, marker_batch

_BITS = {"int8": 7, "int16": 15, "uint16": 16, "int32": 31, "int64": 63}
_START_TIME = 1_767_600_000_000
_COMMIT = 1
_NEWEST_ASSIGNMENT = 3


def random_struct(schema: Struct, version: int, chance: random.Random) -> dict[str, Json]:
    return {field.name: _random_field(field, version, chance) for field in fields_of(schema, version)}


def random_key(key_type: int, chance: random.Random) -> bytes:
    return encode_key(key_type, random_struct(KEYS[key_type], 0, chance))


def random_value(key_type: int, chance: random.Random) -> bytes:
    layout = chance.choice(VALUES[key_type])
    version = chance.choice(layout.versions)
    fields = random_struct(layout.fields, version, chance)
    if key_type == 2:
        fields["protocolType"] = "consumer"
    return encode_value(key_type, version, fields)


def commit_records(offset: int, partitions: int, group: str, topic: str, chance: random.Random) -> list[Record]:
    """Generates the records of one commit request for many partitions."""
    time = _START_TIME + offset
    fields = {
        "leaderEpoch": chance.randrange(20),
        "metadata": "",
        "commitTimestamp": time,
        "topicId": _random_type("uuid", 4, chance),
    }
    return [
        Record(
            offset + partition,
            time,
            encode_key(_COMMIT, {"group": group, "topic": topic, "partition": partition}),
            encode_value(_COMMIT, 3, {**fields, "offset": chance.randrange(1 << 40)}),
        )
        for partition in range(partitions)
    ]


def mixed_batches(records: int, records_a_batch: int, codec: Codec, chance: random.Random) -> Iterator[Batch]:
    """Generates mostly commits. Every 20th batch contains two group records, every 97th is a transaction with its marker."""
    groups = ["".join(chance.choices(string.ascii_lowercase, k=chance.randrange(6, 18))) for _ in range(200)]
    topics = ["".join(chance.choices(string.ascii_lowercase, k=chance.randrange(6, 18))) for _ in range(50)]
    group_types = [key_type for key_type in KEYS if key_type > _COMMIT]
    offset = number = 0
    while offset < records:
        number += 1
        if number % 20 == 0:
            types = [group_types[(number // 20 + i) % len(group_types)] for i in range(2)]
            batch = [
                Record(offset + i, _START_TIME + offset, random_key(kind, chance), random_value(kind, chance))
                for i, kind in enumerate(types)
            ]
            yield Batch(batch, codec)
        elif number % 97 == 0:
            producer = chance.randrange(1 << 20)
            batch = commit_records(offset, records_a_batch, chance.choice(groups), chance.choice(topics), chance)
            yield Batch(batch, codec, producer_id=producer, producer_epoch=1, transactional=True)
            offset += len(batch)
            batch = [Record(offset, _START_TIME + offset, b"", b"")]
            yield marker_batch(offset, _START_TIME + offset, producer, 1, commit=number % 2 == 0)
        else:
            batch = commit_records(offset, records_a_batch, chance.choice(groups), chance.choice(topics), chance)
            yield Batch(batch, codec)
        offset += len(batch)


def write_large_segment(path: Path, size: int, records_a_batch: int, codec: Codec = "none") -> int:
    """Repeats one block at later offsets, which no CRC covers. Returns the number of records."""
    chance = random.Random(14)
    batches = list(mixed_batches(30_000, records_a_batch, codec, chance))
    encoded = [encode_batch(batch) for batch in batches]
    block = np.frombuffer(b"".join(encoded), np.uint8).copy()
    starts = np.cumsum([0, *map(len, encoded[:-1])])
    bases = np.array([struct.unpack_from(">q", batch)[0] for batch in encoded])
    last = int(bases[-1]) + struct.unpack_from(">i", encoded[-1], LAST_OFFSET_DELTA_AT)[0]
    records = sum(len(batch.records) for batch in batches)
    blocks = -(-size // len(block))
    with path.open("wb") as file:
        for repetition in range(blocks):
            shifted = (bases + repetition * (last + 1)).astype(">i8").view(np.uint8).reshape(-1, 8)
            for i in range(8):
                block[starts + i] = shifted[:, i]
            file.write(block.tobytes())
    return records * blocks


def _random_field(field: Field, version: int, chance: random.Random) -> Json:
    if field.tag is not None and chance.random() < 0.3:
        return field.default
    if field.nullable and chance.random() < 0.3:
        return None
    if field.name in ("commitTimestamp", "expireTimestamp"):
        return _START_TIME + chance.randrange(1 << 40)
    return _random_type(field.type, version, chance)


def _random_type(kind: Type, version: int, chance: random.Random) -> Json:
    if is_struct(kind):
        return random_struct(kind, version, chance)
    if isinstance(kind, ListOf):
        return [_random_type(kind.item, version, chance) for _ in range(chance.randrange(4))]
    if isinstance(kind, Embedded):
        layout = EMBEDDED[kind.message]
        embedded_version = _NEWEST_ASSIGNMENT if kind.message == "assignment" else chance.choice(layout.versions)
        blob = encode_embedded(kind.message, embedded_version, random_struct(layout.fields, embedded_version, chance))
        return base64.b64encode(blob).decode()
    if kind == "string":
        return "".join(chance.choices(string.ascii_letters + '-._/"\\\n\x01äß€🙂', k=chance.randrange(20)))
    if kind == "bytes":
        return base64.b64encode(chance.randbytes(chance.randrange(20))).decode()
    if kind == "uuid":
        return base64.urlsafe_b64encode(chance.randbytes(16)).decode().rstrip("=")
    assert isinstance(kind, str)
    number = chance.getrandbits(_BITS[kind]) >> chance.randrange(_BITS[kind])
    return number if kind == "uint16" or chance.random() < 0.8 else -number
