"""Reads millions of damaged, truncated and malicious segments: the reader must end, count all records and stay small.

    python -m benchmarks.fuzz_segments [--inputs 1000000] [--seed 1]

Every input is a small segment with batches of every codec and record type, damaged in one of several ways.
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

_ORIGINALS = 400
_PROGRESS = 100_000
_WARM_UP_INPUTS = 200
_EXTREME_BYTES = (0, 1, 0x7F, 0x80, 0xFF)
_WINDOWS = (64, 1 << 10, 1 << 16)
_BATCH_HEADER_SIZE = 61


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    originals = [[_batch(chance, i * 100 + k * 10) for k in range(3)] for i in range(_ORIGINALS)]
    # Compiling and loading at first use would count as slow inputs.
    for _ in range(_WARM_UP_INPUTS):
        _read(_damaged(list(chance.choice(originals)), chance), _WINDOWS[0])

    begin = time.perf_counter()
    slowest = 0.0
    records = damaged = unknown = 0
    for number in range(options.inputs):
        data = _damaged(list(chance.choice(originals)), chance)
        started = time.perf_counter()
        receipt, rows = _read(data, chance.choice(_WINDOWS))
        slowest = max(slowest, time.perf_counter() - started)
        assert receipt.records == receipt.understood + receipt.not_understood == rows, (number, data.hex())
        records += receipt.records
        damaged += receipt.details["damaged_batches"]
        unknown += receipt.details["unknown_records"]
        if (number + 1) % _PROGRESS == 0:
            print(f"{number + 1:,} inputs", flush=True)
    seconds = time.perf_counter() - begin
    print(f"{options.inputs:,} inputs in {seconds:.0f} s, the slowest {slowest:.3f} s")
    print(f"{records:,} records, {damaged:,} damaged batches, {unknown:,} unknown records; every receipt adds up")
    print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


def _batch(chance: random.Random, base_offset: int) -> bytes:
    types = chance.choices(sorted(KEYS), k=chance.randrange(1, 5))
    records = [
        Record(base_offset + i, 1_767_600_000_000 + i, random_key(kind, chance), random_value(kind, chance))
        for i, kind in enumerate(types)
    ]
    return encode_batch(Batch(records, chance.choice(CODECS)))


def _damaged(batches: list[bytes], chance: random.Random) -> bytes:
    index = chance.randrange(len(batches))
    batch = bytearray(batches[index])
    damage = chance.randrange(6)
    if damage == 0:
        # Anywhere, with the CRC unchanged.
        _overwrite_bytes(batch, 0, chance)
    elif damage in (1, 2):
        # In the records, with a matching CRC.
        _overwrite_bytes(batch, _BATCH_HEADER_SIZE, chance)
        batch[:] = with_valid_crc(bytes(batch))
    elif damage == 3:
        # In the part of the header that the CRC covers.
        batch[chance.randrange(21, _BATCH_HEADER_SIZE)] = chance.choice(_EXTREME_BYTES)
        batch[:] = with_valid_crc(bytes(batch))
    elif damage == 4:
        # In the length.
        struct.pack_into(">i", batch, 8, chance.randrange(-(1 << 31), 1 << 31) >> chance.randrange(32))
    else:
        at = chance.randrange(len(batch))
        del batch[at : at + chance.randrange(1, 40)]
    batches[index] = bytes(batch)
    data = b"".join(batches)
    return data[: chance.randrange(len(data))] if chance.random() < 0.2 else data


def _overwrite_bytes(batch: bytearray, start: int, chance: random.Random) -> None:
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(start, len(batch))
        batch[at] = chance.choice(_EXTREME_BYTES) if chance.random() < 0.5 else chance.randrange(256)


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
