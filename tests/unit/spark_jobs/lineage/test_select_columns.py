"""From which columns of which tables each column of a query comes."""

import pytest

from spark_jobs.lineage.select_columns import column_origins

CATALOG = {
    "silver": {"commits": {"group_id": "string", "at": "timestamp", "starts": "array<struct<x int, y int>>"}},
    "gold": {"gaps": {"group_id": "string", "gap_ms": "bigint"}},
}
GROUP, AT, STARTS = (("silver.commits", column) for column in ("group_id", "at", "starts"))
GAP, GAP_GROUP = ("gold.gaps", "gap_ms"), ("gold.gaps", "group_id")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("select group_id as g, max(at) as last from silver.commits group by group_id", {"g": {GROUP}, "last": {AT}}),
        ("select count(*) as commits from silver.commits", {"commits": set()}),
        ("select * from silver.commits", {"group_id": {GROUP}, "at": {AT}, "starts": {STARTS}}),
        ("with c as (select *, date(at) as day from silver.commits) select day, c.group_id from c",
         {"day": {AT}, "group_id": {GROUP}}),
        ("select group_id from silver.commits union all select group_id from gold.gaps",
         {"group_id": {GROUP, GAP_GROUP}}),
        ("select coalesce(gap_ms, unix_millis(at)) as ms from silver.commits left join gold.gaps using (group_id)",
         {"ms": {GAP, AT}}),
        ("select start.x from silver.commits lateral view explode(starts) as start", {"x": {STARTS}}),
        ("select s.x from (select inline(starts) as (x, y) from silver.commits) as s", {"x": {STARTS}}),
        ("with a as (select struct(*) as s from gold.gaps), b as (select s.* from a) select gap_ms from b",
         {"gap_ms": {GAP, GAP_GROUP}}),
        ("select group_id, sum(gap_ms) over (partition by group_id order by gap_ms) as total from gold.gaps",
         {"group_id": {GAP_GROUP}, "total": {GAP, GAP_GROUP}}),
    ],
)  # fmt: skip
def test_each_column_is_followed_to_the_tables(query: str, expected: object) -> None:
    assert column_origins(query, CATALOG) == expected
