"""Ways to read, write or run something else than the tables of the lake by `lagoon sql`, each refused. They come from the
lists of statements, functions and data sources in the documentation of Spark SQL and Delta."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from spark_jobs.errors import UsageError
from spark_jobs.lake.tables import Lake
from spark_jobs.sql.functions import REFUSED_FUNCTIONS, REFUSED_TABLE_FUNCTIONS

# `{outside}` is a folder with a file of each format, `{marker}` a file that must not come to exist.
FILES = [
    "csv.`{outside}/csv`",
    "CSV.`{outside}/csv`",
    "`csv`.`{outside}/csv`",
    "csv . `{outside}/csv`",
    "json.`{outside}/json`",
    "text.`{outside}/text`",
    "text.`/etc/passwd`",
    "text.`file:///etc/passwd`",
    "parquet.`{outside}/parquet`",
    "orc.`{outside}/orc`",
    "avro.`{outside}/csv`",
    "xml.`{outside}/csv`",
    "binaryFile.`{outside}/csv`",
    "delta.`{outside}/delta`",
    "delta.`{lake}/gold/lag`",
    "delta.`{lake}/gold/lag@v0`",
    "`delta`.`{outside}/delta` version as of 0",
    "delta.`{outside}/delta` timestamp as of current_timestamp()",
    "jdbc.`jdbc:sqlite:{marker}`",
    "statestore.`{outside}/csv`",
    "`org.apache.spark.sql.execution.datasources.csv.CSVFileFormat`.`{outside}/csv`",
    "spark_catalog.delta.`{outside}/delta`",
    "identifier('csv.`{outside}/csv`')",
    "identifier('gold.' || 'lag')",
    "table_changes_by_path('{outside}/delta', 0)",
    "table_changes('gold.lag', 0)",
    "read_files('{outside}/csv')",
    "python_worker_logs()",
    "stream gold.lag",
    "stream(gold.lag)",
    "gold.lag with (path = '{outside}/delta')",
    "gold.lag with ('versionAsOf' = 0)",
    "`gold.lag`",
    "lag",
    "default.lag",
    "gold.no_such_table",
    "global_temp.lag",
    "other_catalog.gold.lag",
]
PLACES_OF_RELATIONS = [
    "select * from {relation}",
    "from {relation} select *",
    "from {relation}",
    "select /* gold.lag */ * from {relation} -- gold.lag",
    "select 1 from gold.lag join {relation} on true",
    "select 1 from gold.lag, {relation}",
    "select 1 from gold.lag where exists (select 1 from {relation})",
    "select 1 from gold.lag where 'x' in (select cast(1 as string) from {relation})",
    "select (select max(1) from {relation})",
    "select 1 from gold.lag order by (select max(1) from {relation})",
    "with t as (select * from {relation}) select * from t",
    "with t as (select 1 as a) select * from (with u as (select * from {relation}) select * from u) join t",
    "select 1 union all select 1 from {relation}",
    "select 1 from gold.lag, lateral (select 1 from {relation})",
    "select * from explode(array((select max(1) from {relation})))",
    "explain select * from {relation}",
    "explain extended select * from {relation}",
    "describe query select * from {relation}",
    "from gold.lag |> union all from {relation}",
]
# As {call}: what a function does with these arguments does not matter, since it is never called.
PLACES_OF_FUNCTIONS = [
    "select {call}",
    "select 1 from gold.lag where {call} = 'x'",
    "select 1 from gold.lag order by {call}",
    "select max(topic) from gold.lag group by {call}",
    "select topic from gold.lag group by topic having {call} = 'x'",
    "select 1 from gold.lag a join gold.lag b on {call} = a.topic",
    "select * from gold.lag lateral view {call} t",
    "select * from gold.lag lateral view explode(array({call})) t",
    "select * from values ({call}) as t(a)",
    "select transform(array(1), x -> {call})",
    "select sum(1) over (partition by {call}) from gold.lag",
    "select count(*) filter (where {call} = 'x') from gold.lag",
    "select case when {call} is null then 1 end",
    "select cast({call} as int), array({call})[0]",
    "select * from gold.lag version as of {call}",
    "select * from range(length({call}))",
    "select * from {call}",
    "select 1 limit length({call})",
    "with t as (select {call} as a) select * from t",
    "select from_json('1', {call})",
    "from gold.lag |> extend {call} as x",
    "explain select {call}",
]
# Only functions of one kind, such as generators, can stand there.
PLACES_OF_SOME_FUNCTIONS = [
    "select * from gold.lag lateral view {call} t",
    "select * from gold.lag version as of {call}",
    "select * from {call}",
    "select from_json('1', {call})",
]
CALLS = [
    "reflect('java.lang.Runtime', 'getRuntime')",
    "java_method('java.lang.System', 'getenv', 'HOME')",
    "try_reflect('java.lang.System', 'getProperty', 'user.home')",
    "REFLECT('java.lang.System', 'exit', 0)",
    "`reflect`('java.lang.System', 'lineSeparator')",
    "reflect /* */ ('java.lang.System', 'lineSeparator')",
    "xpath_string('<a/>', 'a')",
    "from_xml('<a/>', 'a int', map('rowValidationXSDPath', '/etc/passwd'))",
    "from_protobuf(x'00', 'M', '/etc/passwd')",
    "system.builtin.reflect('java.lang.System', 'lineSeparator')",
    "identifier('reflect')('java.lang.System', 'lineSeparator')",
    "gold.my_function(1)",
]
STATEMENTS = [
    # Other programs
    "select transform(topic) using 'touch {marker}' from gold.lag",
    "select transform(topic) using 'sh -c \"touch {marker}\"' as (a string) from gold.lag",
    "map topic using 'touch {marker}' from gold.lag",
    "reduce topic using 'touch {marker}' from gold.lag",
    "from (from gold.lag map topic using 'touch {marker}' as a) t reduce a using 'cat' as b",
    "with t as (select transform(topic) using 'touch {marker}' from gold.lag) select * from t",
    "explain select transform(topic) using 'touch {marker}' from gold.lag",
    # Statements in text, scripts and variables
    "execute immediate 'delete from gold.lag'",
    "execute immediate 'create table gold.x as select 1'",
    "execute immediate 'select * from gold.lag where topic = ?' using 'x'",
    "begin delete from gold.lag; end",
    "begin select 1; end",
    "begin declare x int default 1; while x < 3 do set x = x + 1; end while; end",
    "BEGIN EXECUTE IMMEDIATE 'delete from gold.lag'; END",
    "declare variable x = 1",
    "declare or replace x int default 5",
    "set variable x = 1",
    "set var x = (select max(true_lag) from gold.lag)",
    "drop temporary variable x",
    "select :parameter",
    "select ?",
    "call system.run('x')",
    # Rows of tables
    "insert into gold.lag select * from gold.lag",
    "insert into gold.lag values (1)",
    "insert overwrite gold.lag select * from gold.lag",
    "insert into gold.lag replace where true select * from gold.lag",
    "with t as (select * from gold.lag) insert into gold.lag select * from t",
    "from gold.lag insert into gold.lag select *",
    "from gold.lag insert into gold.lag select * insert into gold.findings select *",
    "insert overwrite directory '{marker}' using csv select * from gold.lag",
    "insert overwrite local directory '{marker}' using parquet select * from gold.lag",
    "with t as (select 1) insert overwrite directory '{marker}' using json select * from t",
    "delete from gold.lag",
    "delete from gold.lag where true_lag > 0",
    "delete from delta.`{outside}/delta`",
    "update gold.lag set topic = 'x'",
    "merge into gold.lag a using gold.lag b on a.topic = b.topic when matched then delete",
    "truncate table gold.lag",
    "load data inpath '{outside}/csv' into table gold.lag",
    "explain delete from gold.lag",
    "explain insert into gold.lag select * from gold.lag",
    # Tables, views, layers and functions
    "create table gold.x (a int) using delta",
    "create table gold.x using csv location '{outside}/csv'",
    "create table gold.x using delta as select * from gold.lag",
    "create table x using parquet location '{marker}' as select 1 as a",
    "create external table gold.x (a int) location '{marker}'",
    "create table gold.x like gold.lag",
    "create table gold.x shallow clone gold.lag",
    "create or replace table gold.lag (a int) using delta",
    "replace table gold.lag using delta as select 1 as a",
    "create view x as select * from gold.lag",
    "create temporary view x as select * from gold.lag",
    "create temporary view x using csv options (path '{outside}/csv')",
    "create global temporary view x as select 1",
    "create function f as 'java.lang.String' using jar '{marker}'",
    "create temporary function f as 'java.lang.String'",
    "create temporary function f() returns int return 1",
    "create function f(x int) returns int return x + 1",
    "create schema x location '{marker}'",
    "create database x",
    "drop table gold.lag",
    "drop table if exists gold.lag purge",
    "drop view gold.lag",
    "drop schema gold cascade",
    "drop function f",
    "alter table gold.lag add columns (x int)",
    "alter table gold.lag drop column topic",
    "alter table gold.lag rename to gold.x",
    "alter table gold.lag set tblproperties ('delta.appendOnly' = 'true')",
    "alter table gold.lag set location '{outside}/delta'",
    "alter table gold.lag add constraint c check (true_lag > 0)",
    "alter schema gold set dbproperties ('a' = 'b')",
    "comment on table gold.lag is 'x'",
    "comment on schema gold is 'x'",
    "msck repair table gold.lag",
    "alter table gold.lag recover partitions",
    # Maintenance
    "optimize gold.lag",
    "optimize delta.`{outside}/delta`",
    "vacuum gold.lag retain 0 hours",
    "vacuum '{outside}/delta' dry run",
    "restore table gold.lag to version as of 0",
    "convert to delta parquet.`{outside}/parquet`",
    "generate symlink_format_manifest for table gold.lag",
    "reorg table gold.lag apply (purge)",
    "analyze table gold.lag compute statistics",
    "analyze tables in gold compute statistics",
    "describe history '{outside}/delta'",
    "describe history delta.`{outside}/delta`",
    "describe detail '{outside}/delta'",
    "describe detail delta.`{outside}/delta`",
    # Descriptions of something else
    "describe delta.`{outside}/delta`",
    "describe extended parquet.`{outside}/parquet`",
    "describe table extended csv.`{outside}/csv`",
    "describe formatted gold.no_such_table",
    "show create table delta.`{outside}/delta`",
    "show columns in delta.`{outside}/delta`",
    "show tblproperties delta.`{outside}/delta`",
    "show partitions delta.`{outside}/delta`",
    "show tables in default",
    "show tables in other_catalog.gold",
    "show table extended in gold like '*'",
    "describe schema default",
    "table csv.`{outside}/csv`",
    # The session
    "set",
    "set -v",
    "set spark.sql.runSQLOnFiles = true",
    "set spark.sql.ansi.enabled",
    "set time zone 'Europe/Berlin'",
    "reset",
    "reset spark.sql.runSQLOnFiles",
    "use default",
    "use gold",
    "set catalog spark_catalog",
    "add jar '{outside}/x.jar'",
    "add file '{outside}/csv'",
    "add archive '{outside}/x.zip'",
    "list jar",
    "list file",
    "list archive",
    "cache table gold.lag",
    "cache table x as select * from gold.lag",
    "cache lazy table x options ('storageLevel' 'DISK_ONLY') as select 1",
    "uncache table gold.lag",
    "clear cache",
    "refresh table gold.lag",
    "refresh '{outside}/csv'",
    "refresh function f",
    "show functions",
    "show catalogs",
    "describe function reflect",
    # Streams
    "select * from gold.lag watermark sampled_at delay of interval 1 minute",
    # The user of the machine
    "select current_user",
    "select current_user()",
    "select session_user()",
    "select `user`()",
]
# Spark's parser already has no sentence for these.
NO_QUERIES = [
    "",
    ";",
    "select 1; delete from gold.lag",
    "select 1;; drop table gold.lag",
    "delete from gold.lag; select 1",
    "select 1 /* unclosed",
    "!touch {marker}",
    "source {outside}/csv",
    "dfs -ls /",
    "copy into gold.lag from '{outside}/csv'",
    "grant select on gold.lag to x",
    "select 1 into outfile '{marker}'",
    "select * from '{outside}/csv'",
    "select * from gold.lag where 1 = 1\u2028; delete from gold.lag",
    "\uff53elect 1",
    "select 1 from gold.lag union delete from gold.lag",
    "select * from (delete from gold.lag)",
    "with t as (delete from gold.lag) select * from t",
    "with t as (select transform(topic) row format serde 'x' using 'touch {marker}' from gold.lag) select * from t",
    "select transform(topic) row format delimited using 'touch {marker}' from gold.lag insert into x select 1",
    "select current_user() {fn reflect('a', 'b')}",
    "kill 1",
    "set role admin",
    "create function f(x int) returns int language python as $$ return 1 $$",
]
LEADING_TRICKS = ["/* select */ ", "-- select\n", "\n\t ", "(", "/*+ broadcast(x) */ "]

Run = Callable[[str], DataFrame]

pytestmark = pytest.mark.usefixtures("nothing_changes")


def refusal(run: Run, folder: Path, query: str) -> str:
    query = query.replace("{outside}", str(folder / "outside")).replace("{marker}", str(folder / "marker"))
    query = query.replace("{lake}", str(folder / "lake"))
    with pytest.raises(UsageError) as refused:
        run(query)
    assert refused.value.exit_code == 2
    assert "\n" not in str(refused.value)
    return str(refused.value)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_that_does_more_than_read_is_refused(run: Run, folder: Path, statement: str) -> None:
    assert "only reads the tables of the lake" in refusal(run, folder, statement)


@pytest.mark.parametrize("relation", FILES)
def test_what_is_no_table_of_the_lake_can_not_be_read_anywhere_in_a_query(
    run: Run, folder: Path, relation: str
) -> None:
    for place in PLACES_OF_RELATIONS:
        message = refusal(run, folder, place.replace("{relation}", relation))
        assert "only reads the tables of the lake" in message or "there is no function `read_files`" in message, place


@pytest.mark.parametrize("call", CALLS)
def test_a_function_that_runs_code_or_reads_files_is_refused_anywhere_in_a_query(
    run: Run, folder: Path, call: str
) -> None:
    for place in PLACES_OF_FUNCTIONS:
        message = refusal(run, folder, place.replace("{call}", call))
        reasons = (
            "does not call `",
            "there is no function `",
            "does not run identifier()",
            "yntax error",
            "Invalid SQL",
        )
        assert any(reason in message for reason in reasons), place


@pytest.mark.parametrize("place", [place for place in PLACES_OF_FUNCTIONS if place not in PLACES_OF_SOME_FUNCTIONS])
def test_a_harmless_function_is_allowed_in_the_same_places(run: Run, place: str) -> None:
    run(place.replace("{call}", "string(1)"))


@pytest.mark.parametrize("place", PLACES_OF_RELATIONS)
def test_a_table_of_the_lake_is_allowed_in_the_same_places(run: Run, place: str) -> None:
    run(place.replace("{relation}", "gold.lag"))


def test_each_refused_function_is_refused_by_name(run: Run, folder: Path) -> None:
    assert len(REFUSED_FUNCTIONS) > 15
    for name in REFUSED_FUNCTIONS:
        for query in (f"select {name}('a', 'b')", f"select {name.upper()}('a')", f"select * from {name}('a')"):
            assert f"does not call `{name}`" in refusal(run, folder, query)
    for name in REFUSED_TABLE_FUNCTIONS:
        assert f"does not call `{name}`" in refusal(run, folder, f"select * from {name}('a')")


@pytest.mark.parametrize("query", NO_QUERIES)
def test_what_is_no_query_fails_in_one_sentence(run: Run, folder: Path, query: str) -> None:
    refusal(run, folder, query)


@pytest.mark.parametrize("trick", LEADING_TRICKS)
def test_comments_and_spaces_before_a_statement_change_nothing(run: Run, folder: Path, trick: str) -> None:
    for statement in ("delete from gold.lag", "DeLeTe FROM gold.lag", "execute immediate 'delete from gold.lag'"):
        refusal(run, folder, trick + statement + (")" if trick == "(" else ""))


def test_settings_and_variables_of_the_machine_are_not_replaced_in_a_query(run: Run) -> None:
    for name in ("${env:HOME}", "${system:user.home}", "${spark:spark.local.dir}", "${hiveconf:spark.app.name}"):
        assert run(f"select '{name}' as value").collect()[0].value == name


def test_a_table_that_is_registered_but_lies_elsewhere_is_refused(
    run: Run, folder: Path, spark: SparkSession, lake: Lake
) -> None:
    outside = folder / "outside"
    spark.sql(f"create table gold.foreign_delta using delta location '{outside}/delta'")
    spark.sql(f"create table gold.foreign_csv using csv location '{outside}/csv'")
    spark.sql(f"create table default.lag using delta location '{lake.path('gold.lag')}'")
    spark.sql("create temporary view temporary as select 1")
    try:
        for name in ("gold.foreign_delta", "gold.foreign_csv", "default.lag", "temporary"):
            assert "only reads the tables of the lake" in refusal(run, folder, f"select * from {name}")
        # The name of a CTE is no way to a table of the same name.
        query = "select * from lag join (with lag as (select 1) select * from lag)"
        refusal(run, folder, query)
    finally:
        for name in ("gold.foreign_delta", "gold.foreign_csv", "default.lag"):
            spark.sql(f"drop table {name}")
        spark.catalog.dropTempView("temporary")
