from pathlib import Path

import pytest
from support.segment_reading import parse_recorded_dump, read_file, read_rows, recorded_dumps, recorded_segments


@pytest.mark.parametrize("dump", recorded_dumps(), ids=lambda path: f"{path.parts[-3]}-{path.name}")
def test_every_recorded_record_is_decoded_as_kafka_dump_log_prints_it(dump: Path) -> None:
    segments = list(parse_recorded_dump(dump))
    assert segments
    for segment, expected in segments:
        rows, receipt = read_rows(read_file(segment))
        for row in rows:
            # Rows have bytes where the JSON lacks the version of an assignment. The dump prints no bytes.
            row["key_bytes"] = row["value_bytes"] = None
        assert rows == expected
        assert (receipt.records, receipt.understood, receipt.not_understood) == (len(expected), len(expected), 0)


def test_every_recorded_segment_is_understood_to_its_end() -> None:
    segments = recorded_segments()
    assert len(segments) > 90
    for segment in segments:
        _, receipt = read_rows(read_file(segment))
        assert receipt.records == receipt.understood, segment
        assert receipt.details["torn_bytes"] == receipt.details["lost_bytes"] == 0, segment
