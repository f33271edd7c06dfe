"""A live broker writes `__consumer_offsets`; every record is read as kafka-dump-log of the same version prints it."""

import subprocess
from pathlib import Path

import pytest
from support.kafka_broker import PARTITIONS, SECONDS, running_broker, use_groups
from support.segment_reading import Row, parse_dump_log, read_rows

from benchmarks.kafka_tools import dump_log_command


@pytest.fixture(scope="module")
def log_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `log.dirs` folder of a broker that was shut down after groups of all kinds had used it."""
    folder = tmp_path_factory.mktemp("broker")
    with running_broker(folder) as address:
        use_groups(address)
    return folder / "data"


def test_every_record_that_a_broker_writes_is_read_as_kafka_dump_log_prints_it(log_dir: Path) -> None:
    segments = sorted(log_dir.glob("__consumer_offsets-*/*.log"))
    assert len(segments) == PARTITIONS
    done = subprocess.run(dump_log_command(*segments), capture_output=True, text=True, check=True, timeout=SECONDS)
    printed = dict(parse_dump_log(done.stdout))
    assert sorted(printed) == segments
    all_rows: list[Row] = []
    compressed_batches = 0
    for segment, expected in printed.items():
        rows, receipt = read_rows(segment.read_bytes())
        compressed_batches += receipt.details["packed_batches"]
        for row in rows:
            # Rows hold bytes where JSON lacks the version of an embedded assignment; a dump has no bytes.
            row["key_bytes"] = row["value_bytes"] = None
        assert rows == expected
        assert receipt.records == receipt.understood == len(expected)
        all_rows += rows
    assert compressed_batches > 0
    # All operations left records: commits, group metadata of both protocols, tombstones, and transaction markers.
    assert {row["key_type"] for row in all_rows} >= {None, 1, 2, 3, 5, 6, 7, 8}
    assert {row["marker"] for row in all_rows} == {None, "commit", "abort"}
    assert {(row["group_id"], row["committed_offset"], row["metadata"]) for row in all_rows} >= {
        # librdkafka writes the NUL that ends a C string too.
        ("by-hand", 7, "to be sure: ü, 🙂\0"),
        ("by-hand", None, None),
        ("in-transactions", 2, ""),
        ("in-transactions", 3, ""),
    }
