"""Queries that only read tables of the lake: they run, and have the rows that Spark itself returns."""

from collections.abc import Callable

import pytest
from pyspark.sql import DataFrame, SparkSession

from spark_jobs.errors import UsageError
from spark_jobs.lake.tables import Lake
from spark_jobs.sql.analysed_query import analyse_and_check
from spark_jobs.sql.functions import (
    ALLOWED_FUNCTIONS,
    ALLOWED_TABLE_FUNCTIONS,
    REFUSED_FUNCTIONS,
    REFUSED_TABLE_FUNCTIONS,
)
from spark_jobs.sql.plan_parts import elements
from spark_jobs.sql.rows import stream_rows

QUERIES = [
    "select * from gold.lag",
    "SELECT * FROM GOLD.Lag",
    "select * from `gold`.`lag`;",
    "select * from spark_catalog.gold.lag",
    "table gold.lag",
    "from gold.lag",
    "from gold.lag select topic where true_lag > 10",
    "select distinct group_id from gold.lag where status = 'ok' order by 1 desc nulls last limit 1 offset 1",
    "select l.*, f.severity from gold.lag as l join gold.findings as f using (cluster, group_id)",
    "select * from gold.lag l left join gold.findings f on l.group_id = f.group_id and f.day = l.day",
    "select * from gold.lag natural join gold.findings",
    "select * from gold.lag l left semi join gold.findings f on l.group_id = f.group_id",
    "select * from gold.lag l left anti join gold.findings f on l.group_id = f.group_id",
    "select * from gold.lag full outer join silver.client_configs on true",
    "select * from gold.lag cross join silver.client_configs",
    "select * from gold.lag right join silver.client_configs on client_id = topic",
    "select group_id, count(*), sum(true_lag) filter (where status is not null) from gold.lag group by group_id having count(*) > 1",
    "select group_id, partition_id, max(true_lag) from gold.lag group by all",
    "select group_id, partition_id, count(*) from gold.lag group by rollup (group_id, partition_id)",
    "select group_id, partition_id, count(*) from gold.lag group by cube (group_id, partition_id)",
    "select group_id, grouping(group_id), count(*) from gold.lag group by group_id grouping sets ((group_id), ())",
    "select percentile_cont(0.5) within group (order by true_lag), median(true_lag), approx_percentile(true_lag, 0.9) from gold.lag",
    "select topic, row_number() over (partition by group_id order by sampled_at) as number from gold.lag",
    "select sum(true_lag) over w, lag(true_lag) over w from gold.lag window w as (partition by group_id order by sampled_at)",
    "select avg(true_lag) over (order by sampled_at rows between 1 preceding and unbounded following) from gold.lag",
    "select max(true_lag) over (order by true_lag range between current row and 10 following) from gold.lag",
    "select last(status) ignore nulls from gold.lag",
    "with late as (select * from gold.lag where true_lag > 20), groups as (select group_id from late) select * from groups",
    "with a(x, y) as (select group_id, true_lag from gold.lag) select x, (select max(y) from a) from a where y in (select y from a)",
    "with recursive n as (select 1 as i union all select i + 1 from n where i < 4) select * from n",
    "with gold as (select 1 as lag) select lag from gold",
    "select * from gold.lag l where exists (select 1 from gold.findings f where f.group_id = l.group_id)",
    "select * from gold.lag where (group_id, day) not in (select group_id, day from gold.findings)",
    "select * from gold.lag l, lateral (select severity from gold.findings f where f.group_id = l.group_id)",
    "select group_id, topic_partition.topic, p from silver.group_members lateral view explode(owned) t as topic_partition"
    " lateral view outer explode(topic_partition.partitions) as p",
    "select name, value from silver.client_configs, lateral explode(settings) as s(name, value)",
    "select explode(settings) as (name, value) from silver.client_configs",
    "select posexplode(owned) from silver.group_members",
    "select inline(owned) from silver.group_members",
    "select settings['max.poll.records']::int, owned[0].topic, owned.topic from silver.client_configs, silver.group_members",
    "select transform(owned, o -> o.topic), filter(owned, (o, i) -> i > 0), aggregate(owned[0].partitions, 0, (a, x) -> a + x)"
    " from silver.group_members",
    "select rules from quality.rejected_rows where array_contains(rules, 'rule_a')",
    "select get_json_object(evidence, '$.cost.records'), from_json(evidence, 'cost struct<records: int>').cost.records"
    " from gold.findings",
    "select parse_json(evidence):cost.records::int from gold.findings",
    "select * from (select group_id, partition_id, true_lag from gold.lag) pivot (sum(true_lag) for partition_id in (0, 1, 2))",
    "select * from gold.lag unpivot (value for name in (true_lag, partition_id))",
    "values (1, 'a'), (2, null)",
    "select * from values (1, 'a'), (2, upper('b')) as t(number, letter)",
    "select topic from gold.lag union all select kind from gold.findings",
    "select group_id from gold.lag except select group_id from gold.findings",
    "(select group_id from gold.lag) intersect (select group_id from gold.findings) order by 1",
    "select * from range(3) join (select 1 as one)",
    "select id from range(0, 10, 3)",
    "select * from gold.lag tablesample (100 percent)",
    "select * from gold.lag tablesample (3 rows)",
    "select * from gold.lag version as of 0",
    "select * except (day) from gold.lag",
    "select case when true_lag > 10 then 'late' else 'ok' end, if(status is null, 1, 0), coalesce(status, '?') from gold.lag",
    "select case topic when 'orders' then 1 end from gold.lag",
    "select topic like 'o%', topic rlike '^o', topic ilike any ('O%', 'x'), topic not like all ('x') from gold.lag",
    "select -true_lag + 1 - 2 * 3 % 5 div 6 + 1 / 4, ~partition_id | 1 & 2 ^ 3, true_lag <=> null, not true from gold.lag",
    "select true_lag between 1 and 2 or partition_id not in (1, 2) and status is distinct from 'ok' from gold.lag",
    "select true_lag << 1, true_lag >> 1, true_lag >>> 1, +true_lag, topic || '-' || partition_id from gold.lag",
    "select cast(true_lag as string), try_cast(topic as int), topic::string, sampled_at::date from gold.lag",
    "select date_trunc('hour', sampled_at), extract(hour from sampled_at), sampled_at - interval 1 hour, day + 1 from gold.lag",
    "select timestampdiff(minute, sampled_at, sampled_at), timestampadd(hour, 1, sampled_at), window(sampled_at, '1 hour').start"
    " from gold.lag",
    "select date'2026-11-18', timestamp'2026-11-18 12:00:00', x'0f', 1.5bd, 1L, 2.5e3, interval '1' day, 'it''s', r'\\d'",
    "select interval '1-2' year to month, make_interval(1, 2), parse_json('{\"a\": 1}'), time'10:00:00'",
    "select substring(topic from 1 for 2), position('r' in topic), trim(both 'o' from topic), overlay(topic placing 'x' from 1)"
    " from gold.lag",
    "select trim(leading 'o' from topic), trim(trailing 's' from topic), topic collate utf8_lcase = 'ORDERS' from gold.lag",
    "select struct(topic as t, 1 as n).t, named_struct('a', 1), array(1, 2)[0], map('a', 1)['a'] from gold.lag",
    "select input_file_name() like '%gold/lag%', _metadata.file_name is null from gold.lag",
    "select current_date is null, current_timestamp() is null, now() is null, uuid() is null",
    "select /*+ broadcast(f) */ l.topic from gold.lag l join gold.findings f on l.group_id = f.group_id",
    "select topic from gold.lag distribute by group_id sort by true_lag",
    "from gold.lag |> where true_lag > 10 |> aggregate sum(true_lag) as lag group by group_id |> order by lag |> limit 1",
    "from gold.lag |> extend true_lag * 2 as twice |> drop day |> select twice |> as t |> set twice = 1",
    "-- a comment\nselect 1 /* another; delete from gold.lag */ as `delete from gold.lag`",
    "select 'delete from gold.lag', ';', 'select reflect(''a'', ''b'')', \"csv.`/etc/passwd`\"",
    "select 'größe', '😀', '\\u0041'",
    "select reverse(reflect) from (select 'reflect' as reflect)",
    "show tables in gold",
    "show tables in gold like 'l*'",
    "show tables from quality",
    "show schemas",
    "show columns in gold.lag",
    "show partitions gold.lag",
    "show tblproperties gold.lag",
    "describe gold.lag",
    "desc gold.lag",
    "describe table gold.lag",
    "describe extended gold.lag",
    "describe formatted gold.lag",
    "describe gold.lag topic",
    "describe query select * from gold.lag",
    "describe schema gold",
    "describe history gold.lag",
    "describe detail gold.lag",
    "explain select * from gold.lag",
    "explain extended select count(*) from gold.lag",
    "explain formatted select * from gold.lag",
    "explain cost select * from gold.lag",
    "explain codegen select * from gold.lag",
]
# Their rows contain times and numbers of plans.
_NOT_COMPARED = ("describe extended", "describe formatted", "describe history", "explain")

Run = Callable[[str], DataFrame]

pytestmark = pytest.mark.usefixtures("nothing_changes")


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_that_only_reads_has_the_rows_that_spark_returns(run: Run, spark: SparkSession, query: str) -> None:
    rows = [str(row) for row in stream_rows(run(query))]
    if query.startswith(_NOT_COMPARED):
        assert rows
    else:
        assert sorted(rows) == sorted(str(row) for row in stream_rows(spark.sql(query)))


def test_each_function_of_this_version_of_spark_is_either_allowed_or_refused(lake: Lake) -> None:
    state = lake.spark._jsparkSession.sessionState()
    functions, table_functions = (
        {function.unquotedString() for function in elements(registry.listFunction())}
        for registry in (state.functionRegistry(), state.tableFunctionRegistry())
    )
    assert len(functions) > 500
    assert len(table_functions) > 10
    assert functions == ALLOWED_FUNCTIONS | set(REFUSED_FUNCTIONS)
    assert table_functions == ALLOWED_TABLE_FUNCTIONS | set(REFUSED_TABLE_FUNCTIONS)
    assert not ALLOWED_FUNCTIONS & set(REFUSED_FUNCTIONS)
    assert not ALLOWED_TABLE_FUNCTIONS & set(REFUSED_TABLE_FUNCTIONS)


@pytest.mark.parametrize(
    "query",
    [
        "select reflect('java.lang.System', 'lineSeparator')",
        "select try_reflect('java.lang.System', 'lineSeparator')",
        "select 1 from gold.lag where java_method('java.lang.System', 'lineSeparator') = 'x'",
        "select (select reflect('java.lang.System', 'lineSeparator'))",
        "select xpath_string('<a/>', 'a')",
        "select current_user()",
        "select transform(topic) using 'cat' from gold.lag",
        "explain select reflect('java.lang.System', 'lineSeparator')",
        "describe query select transform(topic) using 'cat' from gold.lag",
        "explain delete from gold.lag",
        "delete from gold.lag",
        "insert into gold.lag select * from gold.lag",
        "create table gold.x as select 1",
        "set spark.sql.ansi.enabled",
        "add jar 'x.jar'",
    ],
)
def test_the_analysed_plan_is_checked_too(lake: Lake, query: str) -> None:
    parsed = lake.spark._jsparkSession.sessionState().sqlParser().parsePlan(query)
    with pytest.raises(UsageError, match="only reads the tables of the lake"):
        analyse_and_check(lake, parsed)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("select topik from gold.lag", "no column `topik` in gold.lag; did you mean `topic` or "),
        ("select l.topik from gold.lag l", "no column `l`.`topik` in gold.lag; did you mean `l`.`topic` or "),
        ("select nope from gold.lag, gold.findings", "no column `nope` in gold.findings or gold.lag; did you mean"),
        ("select nope", "the query failed: there is no column `nope`. "),
        ("select * from gold.lagg", "no table `gold.lagg`; did you mean gold.lag. `show tables in gold`"),
        ("select * from findings", "no table `findings`; did you mean gold.findings. `show tables in gold`"),
        ("select * from golden.lag", "no table `golden.lag`; did you mean gold.lag. "),
        (
            "select * from x",
            "no table `x`. `show tables in gold` lists those of a layer; the layers are bronze, silver, ",
        ),
        ("show tables in silverr", "no layer `silverr`. Use one of bronze, silver, gold, quality."),
        ("select lenght(topic) from gold.lag", "no function `lenght`; did you mean length"),
        ("selec 1", "the query failed: Syntax error at or near 'selec'. Correct it"),
        ("select 1 +", "the query failed: Syntax error at or near end of input. Correct it"),
        ("select max(topic), day from gold.lag", "the query failed: The query does not include a GROUP BY clause. "),
        ("select * from gold.lag version as of 9", "the query failed: Cannot time travel Delta table to version 9. "),
        ("select topic.x from gold.lag", 'the query failed: Can\'t extract a value from "topic". '),
        ("select substring(topic) from gold.lag", "the query failed: The `substring` requires [2, 3] parameters "),
    ],
)
def test_a_wrong_query_is_one_sentence_with_the_nearest_names(run: Run, query: str, message: str) -> None:
    with pytest.raises(UsageError) as wrong:
        run(query)
    assert message in str(wrong.value)
    assert "\n" not in str(wrong.value)
    assert "SQLSTATE" not in str(wrong.value)
    assert len(str(wrong.value)) < 400
