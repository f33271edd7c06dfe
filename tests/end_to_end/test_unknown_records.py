"""Log lines and records that no reader understands are stored, counted and reported."""

from datetime import date

from recorded.unknown_records import MESSAGES

from spark_jobs.lake.tables import Lake
from spark_jobs.report.lake_reader import LakeReader
from spark_jobs.report.not_understood import not_understood_warnings
from spark_jobs.settings import load


def test_records_that_are_not_understood_are_stored_counted_and_named_in_a_warning_with_the_next_step(
    many_clusters_lake: Lake,
) -> None:
    lake = many_clusters_lake
    lines = (
        lake.read("bronze.log_lines")
        .where("cluster = 'unknown-records' and kind = 'unknown'")
        .orderBy("source_position")
        .collect()
    )
    assert [row.text.rpartition("] ")[2] for row in lines] == list(MESSAGES[1:3])
    (record,) = lake.read("bronze.offset_records").where("cluster = 'unknown-records' and kind = 'unknown'").collect()
    assert (record.record_offset, record.key_type) == (0, 99)
    assert record.key_bytes or record.value_bytes or record.value_json
    reader = LakeReader(load(lake=lake.uri, environment={}))
    warnings = list(not_understood_warnings(reader, {("unknown-records", date(2026, 11, 18))}))
    assert [warning.partition(" are not understood")[0] for warning in warnings] == [
        "2 of 5 records of group_logs that unknown-records delivered on 2026-11-18",
        "1 of 1 records of offset_dumps that unknown-records delivered on 2026-11-18",
    ]
    assert all("lagoon sql" in warning and "unknown_shapes" in warning for warning in warnings)
    assert list(not_understood_warnings(reader, {("unknown-records", date(2026, 11, 17))})) == []
