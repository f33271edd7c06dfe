"""Decodes a segment into Arrow columns on one core, checking every CRC, and compares with kafka-dump-log.

python -m benchmarks.decode_segments [--megabytes 120] [--records-a-batch 10]
"""

import argparse
import os
import resource
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.claims import claim
from benchmarks.kafka_tools import KAFKA_VERSION, dump_log_command, kafka_classpath
from benchmarks.sample_records import write_large_segment
from kafka_telemetry.formats.receipt import Receipt
from kafka_telemetry.formats.segments.segment_reader import read_segment
from kafka_telemetry.formats.segments.segment_writer import CODECS

_ROUNDS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=120)
    parser.add_argument("--records-a-batch", type=int, default=10)
    parser.add_argument("--codec", choices=CODECS, default="none")
    parser.add_argument("--lagoon-only", action="store_true")
    options = parser.parse_args()

    with TemporaryDirectory() as folder:
        segment = Path(folder) / "00000000000000000000.log"
        records = write_large_segment(segment, options.megabytes * 1_000_000, options.records_a_batch, options.codec)
        size = segment.stat().st_size
        print(f"segment: {size / 1e6:.0f} MB, {records:,} records, {size / records:.0f} bytes a record")
        # The first round compiles.
        _read(segment)
        rounds = [_read(segment) for _ in range(_ROUNDS)]
        seconds, cpu = min(seconds for seconds, _, _ in rounds), min(cpu for _, cpu, _ in rounds)
        receipt = rounds[0][2]
        assert receipt.records == receipt.understood == records, receipt
        print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores (one is used)")
        print(
            f"lagoon, one core: {seconds:.2f} s ({cpu:.2f} s of CPU), {records / seconds / 1e6:.2f} million records/s"
        )
        print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")
        if options.lagoon_only:
            return
        kafka_classpath()
        dump_seconds, dump_cpu = _dump(segment)
        print(f"kafka-dump-log {KAFKA_VERSION}: {dump_seconds:.2f} s ({dump_cpu:.2f} s of CPU)", end=", ")
        print(f"{records / dump_seconds / 1e6:.3f} million records/s")
        claim("decoding segments / kafka-dump-log", dump_seconds / seconds, "x", at_least=10)


def _read(segment: Path) -> tuple[float, float, Receipt]:
    """Returns seconds, seconds of CPU and the receipt."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    started, cpu_before = time.perf_counter(), time.process_time()
    with segment.open("rb") as file:
        reading = read_segment(file, segment.name)
        while True:
            try:
                next(reading)
            except StopIteration as end:
                return time.perf_counter() - started, time.process_time() - cpu_before, end.value


def _dump(segment: Path) -> tuple[float, float]:
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(dump_log_command(segment), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seconds, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
