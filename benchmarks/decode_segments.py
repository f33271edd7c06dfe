"""Bytes of a segment -> Arrow columns on one core, every CRC checked, beside kafka-dump-log on the same file.

python -m benchmarks.decode_segments [--megabytes 120] [--records-a-batch 10]
"""

import argparse
import os
import resource
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.kafka_tools import KAFKA_VERSION, dump_log_command, kafka_classpath
from benchmarks.sample_records import write_large_segment
from kafka_telemetry.formats.receipt import Receipt
from kafka_telemetry.formats.segments.segment_reader import read_segment
from kafka_telemetry.formats.segments.segment_writer import CODECS

_ROUNDS = 3


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--megabytes", type=int, default=120)
    options.add_argument("--records-a-batch", type=int, default=10)
    options.add_argument("--codec", choices=CODECS, default="none")
    options.add_argument("--ours-only", action="store_true")
    chosen = options.parse_args()

    with TemporaryDirectory() as folder:
        segment = Path(folder) / "00000000000000000000.log"
        records = write_large_segment(segment, chosen.megabytes * 1_000_000, chosen.records_a_batch, chosen.codec)
        size = segment.stat().st_size
        print(f"segment: {size / 1e6:.0f} MB, {records:,} records, {size / records:.0f} bytes a record")
        _read(segment)
        rounds = [_read(segment) for _ in range(_ROUNDS)]
        ours, busy = min(taken for taken, _, _ in rounds), min(cpu for _, cpu, _ in rounds)
        receipt = rounds[0][2]
        assert receipt.records == receipt.understood == records, receipt
        print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores (1 is ours)")
        print(f"lagoon, one core: {ours:.2f} s ({busy:.2f} s of CPU), {records / ours / 1e6:.2f} million records/s")
        print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")
        if chosen.ours_only:
            return
        kafka_classpath()
        theirs, their_busy = _dump(segment)
        print(f"kafka-dump-log {KAFKA_VERSION}: {theirs:.2f} s ({their_busy:.2f} s of CPU)", end=", ")
        print(f"{records / theirs / 1e6:.3f} million records/s")
        print(f"ratio: {theirs / ours:.1f} (of CPU time, where other work disturbs less: {their_busy / busy:.1f})")


def _read(segment: Path) -> tuple[float, float, Receipt]:
    """Seconds, seconds of CPU, receipt."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    begun, busy = time.perf_counter(), time.process_time()
    with segment.open("rb") as file:
        reading = read_segment(file, segment.name)
        while True:
            try:
                next(reading)
            except StopIteration as end:
                return time.perf_counter() - begun, time.process_time() - busy, end.value


def _dump(segment: Path) -> tuple[float, float]:
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    begun, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(dump_log_command(segment), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    taken, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    return taken, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
