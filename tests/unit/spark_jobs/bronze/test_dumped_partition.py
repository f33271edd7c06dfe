"""The partition of `__consumer_offsets` of a record in a text dump."""

import datetime as dt
import io

import pytest

from spark_jobs.bronze.offset_records import SOURCE
from spark_jobs.landing import LandedFile
from spark_jobs.settings import load

DUMP = (
    b"Dumping %s\nLog starting offset: 0\n"
    b"| offset: 0 CreateTime: 5 keySize: 11 valueSize: -1 sequence: -1 headerKeys: [] "
    b'key: {"type":"2","data":{"group":"g"}} payload: <DELETE>\n'
)


@pytest.mark.parametrize(
    ("folder", "dumped", "expected"),
    [
        ("b", b"/data/__consumer_offsets-7/00000000000000000000.log", 7),
        # The line that the tool prints is surer than the folder of its output.
        ("__consumer_offsets-3", b"/data/__consumer_offsets-7/00000000000000000000.log", 7),
        ("__consumer_offsets-3", b"00000000000000000000.log", 3),
        ("b", b"00000000000000000000.log", None),
    ],
)
def test_the_partition_is_that_of_the_dumped_folder_else_of_the_folder_of_the_dump(
    folder: str, dumped: bytes, expected: int | None
) -> None:
    now = dt.datetime(2026, 1, 5, tzinfo=dt.UTC)
    path = f"offset_dumps/cluster=c/date=2026-01-05/{folder}/dump.txt"
    file = LandedFile(now.date(), "offset_dumps", "c", path, 1, now)
    [batch] = SOURCE.read_file(io.BytesIO(DUMP % dumped), file, load(environment={}))
    assert SOURCE.add_columns(batch, file)["offsets_partition"].to_pylist() == [expected]
