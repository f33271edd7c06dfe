"""Damaged, truncated and hostile segments by the million: the reader must end, add up, and stay small.

    python -m benchmarks.fuzz_segments [--inputs 1000000] [--seed 1]

Every input is one small segment: whole batches of every codec and record type, then damaged in one of several ways.
"""

import argparse
import io
import random
import resource
import struct
import time

from benchmarks.sample_records import random_key, random_value
from kafka_telemetry.formats.receipt import Receipt
from kafka_telemetry.formats.segments.record_schema import KEYS
from kafka_telemetry.formats.segments.segment_reader import read_segment
from kafka_telemetry.formats.segments.segment_writer import CODECS, Batch, Record, encode_batch, with_valid_crc

_PARENTS = 400
_PROGRESS = 100_000
_FIRST_USES = 200
_HOSTILE = (0, 1, 0x7F, 0x80, 0xFF)
_WINDOWS = (64, 1 << 10, 1 << 16)
_BATCH_HEAD = 61


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--inputs", type=int, default=1_000_000)
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    chance = random.Random(chosen.seed)
    parents = [[_batch(chance, i * 100 + k * 10) for k in range(3)] for i in range(_PARENTS)]
    # What is compiled or loaded at first use is no slow input.
    for _ in range(_FIRST_USES):
        _read(_damaged(list(chance.choice(parents)), chance), _WINDOWS[0])

    begun = time.perf_counter()
    slowest = 0.0
    records = damaged = unknown = 0
    for turn in range(chosen.inputs):
        data = _damaged(list(chance.choice(parents)), chance)
        started = time.perf_counter()
        receipt, rows = _read(data, chance.choice(_WINDOWS))
        slowest = max(slowest, time.perf_counter() - started)
        assert receipt.records == receipt.understood + receipt.not_understood == rows, (turn, data.hex())
        records += receipt.records
        damaged += receipt.details["damaged_batches"]
        unknown += receipt.details["unknown_records"]
        if (turn + 1) % _PROGRESS == 0:
            print(f"{turn + 1:,} inputs", flush=True)
    seconds = time.perf_counter() - begun
    print(f"{chosen.inputs:,} inputs in {seconds:.0f} s, the slowest {slowest:.3f} s")
    print(f"{records:,} records, {damaged:,} damaged batches, {unknown:,} unknown records; every receipt adds up")
    print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


def _batch(chance: random.Random, base_offset: int) -> bytes:
    types = chance.choices(sorted(KEYS), k=chance.randrange(1, 5))
    records = [
        Record(base_offset + i, 1_767_600_000_000 + i, random_key(kind, chance), random_value(kind, chance))
        for i, kind in enumerate(types)
    ]
    return encode_batch(Batch(records, chance.choice(CODECS)))


def _damaged(batches: list[bytes], chance: random.Random) -> bytes:
    which = chance.randrange(len(batches))
    batch = bytearray(batches[which])
    way = chance.randrange(6)
    if way == 0:
        # Anywhere, the CRC left as it was.
        _scratch(batch, 0, chance)
    elif way in (1, 2):
        # Inside the records, with a right CRC: what is behind the CRC must hold too.
        _scratch(batch, _BATCH_HEAD, chance)
        batch[:] = with_valid_crc(bytes(batch))
    elif way == 3:
        # In what the CRC counts of the header.
        batch[chance.randrange(21, _BATCH_HEAD)] = chance.choice(_HOSTILE)
        batch[:] = with_valid_crc(bytes(batch))
    elif way == 4:
        struct.pack_into(">i", batch, 8, chance.randrange(-(1 << 31), 1 << 31) >> chance.randrange(32))
    else:
        at = chance.randrange(len(batch))
        del batch[at : at + chance.randrange(1, 40)]
    batches[which] = bytes(batch)
    data = b"".join(batches)
    return data[: chance.randrange(len(data))] if chance.random() < 0.2 else data


def _scratch(batch: bytearray, start: int, chance: random.Random) -> None:
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(start, len(batch))
        batch[at] = chance.choice(_HOSTILE) if chance.random() < 0.5 else chance.randrange(256)


def _read(data: bytes, window: int) -> tuple[Receipt, int]:
    reading = read_segment(io.BytesIO(data), "", window)
    rows = 0
    while True:
        try:
            rows += next(reading).num_rows
        except StopIteration as end:
            return end.value, rows


if __name__ == "__main__":
    main()
