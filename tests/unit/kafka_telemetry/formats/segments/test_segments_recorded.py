from pathlib import Path

import pytest
from support.segment_reading import content, dumped_segments, recorded_dumps, recorded_segments, rows_of


@pytest.mark.parametrize("dump", recorded_dumps(), ids=lambda path: f"{path.parts[-3]}-{path.name}")
def test_every_recorded_record_reads_as_kafka_dump_log_prints_it(dump: Path) -> None:
    segments = list(dumped_segments(dump))
    assert segments
    for segment, expected in segments:
        rows, receipt = rows_of(content(segment))
        for row in rows:
            # Kept where JSON doesn't tell the version of an assignment inside; the dump has no bytes.
            row["key_bytes"] = row["value_bytes"] = None
        assert rows == expected
        assert (receipt.records, receipt.understood, receipt.not_understood) == (len(expected), len(expected), 0)


def test_every_recorded_segment_is_understood_to_its_end() -> None:
    segments = recorded_segments()
    assert len(segments) > 90
    for segment in segments:
        _, receipt = rows_of(content(segment))
        assert receipt.records == receipt.understood, segment
        assert receipt.details["torn_bytes"] == receipt.details["lost_bytes"] == 0, segment
