"""The log ends that were observed nearest to a commit."""

import datetime as dt

import pyarrow as pa
from support.offsets_log_rows import NOON, commit, merge


def test_a_commit_gets_the_log_ends_nearest_to_it_within_an_hour() -> None:
    def at(minutes: int) -> dt.datetime:
        return NOON + dt.timedelta(minutes=minutes)

    observations = [("t", 0, at(0), 100), ("t", 0, at(200), 300), ("t", 0, at(10), 110), ("u", 0, at(5), 7)]
    log_ends = pa.table(
        {
            "cluster": ["eu"] * len(observations),
            "topic": [topic for topic, *_ in observations],
            "partition_id": pa.array([partition for _, partition, *_ in observations], pa.int32()),
            "sampled_at": pa.array([time for *_, time, _ in observations], pa.timestamp("us", "UTC")),
            "log_end_offset": [end for *_, end in observations],
        }
    )
    rows = [
        *(commit(number, number, committed_at=at(minutes))
          for number, minutes in enumerate((-61, -60, 0, 4, 10, 70, 71, 140, 200, 261))),
        commit(10, 1, committed_at=None, recorded_at=None), commit(11, 1, topic="unseen"), commit(12, 1, topic=None),
        commit(13, 1, committed_at=None, recorded_at=at(4)),
    ]  # fmt: skip
    assert merge(rows, "record_offset", "log_end_before", "log_end_after", log_ends=log_ends) == [
        (0, None, None), (1, None, 100), (2, 100, 100), (3, 100, 110), (4, 110, 110), (5, 110, None),
        (6, None, None), (7, None, 300), (8, 300, 300), (9, None, None), (10, None, None), (11, None, None),
        (12, None, None), (13, 100, 110),
    ]  # fmt: skip
