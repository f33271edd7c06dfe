"""Lines and records that nothing understands are kept, counted, and told of."""

from datetime import date

from recorded.unheard_of import SAID

from spark_jobs.lake.tables import Lake
from spark_jobs.report import not_understood


def test_what_is_not_understood_is_kept_counted_and_warned_of_with_what_to_do_next(lake_of_parts: Lake) -> None:
    lake = lake_of_parts
    kept = (
        lake.read("bronze.log_lines")
        .where("cluster = 'unheard-of' and kind = 'unknown'")
        .orderBy("source_position")
        .collect()
    )
    assert [row.text.rpartition("] ")[2] for row in kept] == list(SAID[1:3])
    (record,) = lake.read("bronze.offset_records").where("cluster = 'unheard-of' and kind = 'unknown'").collect()
    assert (record.record_offset, record.key_type) == (0, 99)
    assert record.key_bytes or record.value_bytes or record.value_json
    told = list(not_understood.warnings(lake, {("unheard-of", date(2026, 11, 18))}))
    assert [sentence.partition(" are not understood")[0] for sentence in told] == [
        "2 of 5 records of group_logs that unheard-of delivered on 2026-11-18",
        "1 of 1 records of offset_dumps that unheard-of delivered on 2026-11-18",
    ]
    assert all("lagoon sql" in sentence and "unknown_shapes" in sentence for sentence in told)
    assert list(not_understood.warnings(lake, {("unheard-of", date(2026, 11, 17))})) == []
