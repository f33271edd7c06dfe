"""Ways to read, write or run something else than the tables of the lake through DuckDB, each closed twice: the query is not
translated, and the database that would run it can't do it. They come from DuckDB's lists of functions and statements."""

from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from spark_jobs.errors import UsageError
from spark_jobs.quick.closed_database import open_database
from spark_jobs.quick.column_types import OnlySparkError
from spark_jobs.quick.engine import QuickEngine
from spark_jobs.quick.statement_check import FUNCTIONS, check_statement

# `{secret}` is a file beside the lake, `{marker}` one that must not come to exist, `{lake}` the lake.
RELATIONS = [
    "read_csv('{secret}')",
    "read_csv_auto('{secret}')",
    "read_parquet('{lake}/gold/*/*.parquet')",
    "parquet_scan('{secret}')",
    "parquet_metadata('{secret}')",
    "parquet_schema('{secret}')",
    "parquet_file_metadata('{secret}')",
    "parquet_kv_metadata('{secret}')",
    "read_json('{secret}')",
    "read_json_auto('{secret}')",
    "read_ndjson('{secret}')",
    "read_json_objects('{secret}')",
    "read_text('{secret}')",
    "read_blob('{secret}')",
    "sniff_csv('{secret}')",
    "glob('/*')",
    "'{secret}'",
    '"{secret}"',
    "`{secret}`",
    "delta_scan('{lake}/gold/lag')",
    "iceberg_scan('{secret}')",
    "sqlite_scan('{secret}', 't')",
    "postgres_scan('host=localhost', 'public', 't')",
    "mysql_scan('host=localhost', 'a', 't')",
    "read_csv('https://localhost/x.csv')",
    "read_parquet('s3://bucket/x')",
    "query('select 1')",
    "query_table('gold.lag')",
    "duckdb_settings()",
    "duckdb_secrets()",
    "duckdb_extensions()",
    "duckdb_temporary_files()",
    "pragma_database_list()",
    "pragma_table_info('gold.lag')",
    "which_secret('x', 's3')",
    "information_schema.tables",
    "pg_catalog.pg_tables",
    "duckdb_tables",
    "sqlite_master",
    "json_execute_serialized_sql('x')",
    "from_substrait('x')",
    "arrow_scan(1, 2, 3)",
    "pandas_scan(1)",
    "python_map_function(1)",
    "repeat(1, 2)",
    "range(10)",
    "test_all_types()",
    "summary((select 1))",
    "st_read('{secret}')",
    "read_xlsx('{secret}')",
    "lake_folder",
    "TABLES",
    "sys",
]
EXPRESSIONS = [
    "getenv('HOME')",
    "current_setting('temp_directory')",
    "getvariable('x')",
    "nextval('x')",
    "write_log('x')",
    "read_text('{secret}')",
    "load_aws_credentials()",
    "json_serialize_sql('select 1')",
    "json_deserialize_sql('x')",
    "current_user",
    "current_database()",
    "current_query()",
    "version()",
    "txid_current()",
    "pg_get_viewdef(1)",
    "in_search_path('a', 'b')",
    "alias(group_id)",
    "columns('.*')",
    "list_transform([1], lambda x: getenv('HOME'))",
    "enum_range(null)",
    "error('x')",
    "checkpoint()",
    "reflect('java.lang.System', 'getenv', 'HOME')",
]
STATEMENTS = [
    "attach '{marker}' as other",
    "detach gold",
    "use gold",
    "copy (select 1) to '{marker}'",
    "copy gold.lag to '{marker}'",
    "copy gold.lag from '{secret}'",
    "export database '{marker}'",
    "import database '{marker}'",
    "install httpfs",
    "force install httpfs from community",
    "load httpfs",
    "load '{secret}'",
    "update extensions",
    "pragma database_list",
    "pragma version",
    "pragma enable_profiling",
    "pragma profiling_output='{marker}'",
    "set enable_external_access = true",
    "set allowed_directories = ['/']",
    "set lock_configuration = false",
    "set temp_directory = '{marker}'",
    "set memory_limit = '100GB'",
    "set threads = 100",
    "set log_query_path = '{marker}'",
    "set profiling_output = '{marker}'",
    "set home_directory = '{marker}'",
    "set secret_directory = '{marker}'",
    "set extension_directory = '{marker}'",
    "set variable x = 1",
    "reset enable_external_access",
    "create secret s (type s3, key_id 'a', secret 'b')",
    "create persistent secret s (type s3)",
    "create macro f(a) as a",
    "create table gold.x (a int)",
    "create view gold.x as select 1",
    "create schema x",
    "create type x as enum ('a')",
    "create sequence x",
    "create index i on gold.lag (day)",
    "insert into gold.lag values (1)",
    "delete from gold.lag",
    "update gold.lag set true_lag = 1",
    "merge into gold.lag using gold.lag b on true when matched then delete",
    "truncate gold.lag",
    "drop view gold.lag",
    "alter view gold.lag rename to x",
    "comment on view gold.lag is 'x'",
    "vacuum",
    "analyze",
    "checkpoint",
    "force checkpoint",
    "call pragma_version()",
    "prepare p as select 1",
    "execute p",
    "deallocate p",
    "begin transaction",
    "explain analyze select 1",
    "describe select 1",
    "summarize gold.lag",
    "show all tables",
    "show databases",
    "show variables",
    "from '{secret}'",
    "from read_csv('{secret}')",
    "pivot gold.lag on day using count(*)",
    "select * from (describe gold.lag)",
    "select 1; copy (select 1) to '{marker}'",
]


@pytest.fixture
def filled(lake_folder: Path, tmp_path: Path) -> "dict[str, str]":
    return {
        "{secret}": str(lake_folder.parent / "secret.csv"),
        "{marker}": str(tmp_path / "marker"),
        "{lake}": str(lake_folder),
    }


def fill(text: str, filled: dict[str, str]) -> str:
    for name, value in filled.items():
        text = text.replace(name, value)
    return text


def is_refused(engine: QuickEngine, query: str, filled: dict[str, str]) -> bool:
    try:
        rows = list(engine.answer(fill(query, filled)).rows)
    except (OnlySparkError, UsageError):
        return not Path(filled["{marker}"]).exists()
    raise AssertionError(f"{query} returned {rows[:3]}")


def is_refused_untranslated(engine: QuickEngine, statement: str, filled: dict[str, str]) -> bool:
    """Whether the check of DuckDB's own parse refuses it."""
    opened = open_database(engine.tables, ["gold.lag"], memory="1GB", seconds=20)
    with opened as database, pytest.raises((OnlySparkError, duckdb.Error)):
        check_statement(database, fill(statement, filled), ["gold.lag"])
    return True


@pytest.mark.parametrize("relation", RELATIONS)
def test_only_tables_of_the_lake_can_be_read(engine: QuickEngine, filled: dict[str, str], relation: str) -> None:
    for place in (
        "select * from {}",
        "select 1 from gold.lag join {} on true",
        "select (select max(1) from {})",
        "with t as (select * from {}) select * from t",
        "select 1 from gold.lag where exists (select 1 from {})",
        "select 1 union all select 1 from {}",
    ):
        query = place.replace("{}", relation)
        assert is_refused(engine, query, filled)
        assert is_refused_untranslated(engine, query.replace("`", '"'), filled)


@pytest.mark.parametrize("call", EXPRESSIONS)
def test_only_listed_functions_can_be_called(engine: QuickEngine, filled: dict[str, str], call: str) -> None:
    for place in (
        "select {} as x",
        "select 1 as x from gold.lag where cast({} as string) = 'x'",
        "select max(day) as x from gold.lag order by {}",
        "select count(*) filter (where {} is null) as x from gold.lag",
        "select sum(1) over (partition by {}) as x from gold.lag",
    ):
        assert is_refused(engine, place.replace("{}", call), filled)
    if not call.startswith(("current_user", "alias", "columns")):
        assert is_refused_untranslated(engine, f"select {call}", filled)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_no_statement_but_a_query_runs(engine: QuickEngine, filled: dict[str, str], statement: str) -> None:
    assert is_refused(engine, statement, filled)
    assert is_refused_untranslated(engine, statement, filled)


@pytest.mark.parametrize(
    "statement",
    [
        *("select * from read_csv('{secret}')", "select * from '{secret}'", "select * from glob('/*')"),
        *("copy (select 1) to '{marker}'", "attach '{marker}' as x", "install httpfs", "load httpfs"),
        *(
            "set enable_external_access = true",
            "set threads = 64",
            "set lock_configuration = false",
            "select * from sys",
        ),
        *("select getenv('HOME')", "export database '{marker}'", "select * from read_text('{lake}/../secret.csv')"),
        "create persistent secret s (type s3)",
    ],
)
def test_the_database_itself_can_not_leave_the_lake(
    engine: QuickEngine, filled: dict[str, str], statement: str
) -> None:
    opened = open_database(engine.tables, ["gold.lag"], memory="1GB", seconds=20)
    with opened as database, pytest.raises(duckdb.Error):
        database.execute(fill(statement, filled)).fetchall()
    assert not Path(filled["{marker}"]).exists()


def test_a_cte_named_like_a_file_is_never_read_as_the_file(engine: QuickEngine, filled: dict[str, str]) -> None:
    """Python takes the long s of the second name for the s of the first, and DuckDB does not."""
    [log] = sorted(Path(engine.tables.open("gold.lag").folder).glob("_delta_log/*0.json"))
    other = str(log).replace(".json", ".j\N{LATIN SMALL LETTER LONG S}on")
    query = (
        f"with `{other}` as (select 1 as x), o as (with `{log}` as (select 1 as y) select * from `{log}`) "
        f"select t.* from `{log}` t"
    )
    assert list(engine.answer(query).rows) == [(1,)]
    for text in (f"with o as (select 1) select * from '{log}'", f'with "{log}" as (select 1) select * from "{log}"'):
        assert is_refused_untranslated(engine, text, filled)


@pytest.mark.parametrize(
    "nested",
    [
        lambda inner: f"({inner} between false and true)",
        lambda inner: f"(case {inner} when true then true when false then false end)",
        lambda inner: f"(round(cast({inner} as double), 2) > 0)",
    ],
)
def test_a_short_query_that_grows_with_each_level_is_left_to_spark(
    engine: QuickEngine, nested: Callable[[str], str]
) -> None:
    text = "true"
    for _ in range(28):
        text = nested(text)
    with pytest.raises(OnlySparkError):
        engine.answer(f"select {text} as x")


def test_every_listed_function_exists(engine: QuickEngine) -> None:
    with open_database(engine.tables, [], memory="1GB", seconds=20) as database:
        known = {row[0] for row in database.execute("select function_name from duckdb_functions()").fetchall()}
    keywords = {
        "coalesce",
        "cume_dist",
        "dense_rank",
        "lag",
        "lead",
        "rank",
        "row_number",
        "nullif",
        "unnest",
        "//",
        "trim",
    }
    assert len(FUNCTIONS) > 60
    assert FUNCTIONS - known - keywords == set()
