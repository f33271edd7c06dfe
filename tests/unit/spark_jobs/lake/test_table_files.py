"""Tables whose files tasks write and read: Spark reads the same rows, file statistics hide none, Delta detects conflicts."""

import datetime as dt
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from deltalake import DeltaTable
from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import schemas
from spark_jobs.errors import UserError
from spark_jobs.lake import file_reader, file_writer, ledger, table_files
from spark_jobs.lake.delta_commits import SliceReplacement, current_files
from spark_jobs.lake.ledger import Entry, EventRows
from spark_jobs.lake.sql_literals import in_cluster_days
from spark_jobs.lake.tables import Lake

TABLE = "silver.offset_commits"
DAY = dt.date(2026, 11, 18)
MOMENT = dt.datetime(2026, 11, 18, 12, 30, 59, 999_999, tzinfo=dt.UTC)
# Characters with a meaning in folder names, URIs, SQL or patterns.
ODD = "a b=c%2F/é?'#\\*"
GROUPS = ["g", "x" * 40, "\U0010ffff" * 33, "", "Gruppe Ä"]


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path) -> Lake:
    """A lake with one table."""
    lake, table = Lake(spark, str(tmp_path / "la ke")), schemas.table(TABLE)
    spark.sql(
        f"create table delta.`{lake.path(TABLE)}` ({table.ddl}) using delta partitioned by (cluster, day) "
        "tblproperties ('delta.dataSkippingStatsColumns' = 'group_id,committed_at')"
    )
    return lake


def rows(spark: SparkSession, *changes: dict[str, object]) -> DataFrame:
    defaults = {"cluster": "eu", "day": DAY, "group_id": "g", "topic": "t", "partition_id": 0, "transaction": "none", "delivered_on": DAY,
             "source_file": "a.log", "source_position": 0, "committed_at": MOMENT, "after_tombstone": False}  # fmt: skip
    names = schemas.table(TABLE).column_names
    values = [tuple({**defaults, **changed}.get(name) for name in names) for changed in changes]
    return spark.createDataFrame(values, schemas.arrow_ddl(TABLE))


def of_slice(cluster: str = "eu", day: dt.date = DAY) -> str:
    return in_cluster_days([(cluster, day)])


def test_rows_are_read_as_written_whatever_the_name_of_their_cluster(spark: SparkSession, lake: Lake) -> None:
    written = [{"cluster": cluster, "group_id": group} for cluster in ("eu", ODD) for group in GROUPS]
    assert lake.replace(TABLE, rows(spark, *written), "true") == len(written)
    assert sorted((row.cluster, row.group_id) for row in lake.read(TABLE).collect()) == sorted(
        (str(row["cluster"]), str(row["group_id"])) for row in written
    )
    lake.replace(TABLE, rows(spark, {"cluster": ODD, "group_id": "only"}), of_slice(ODD))
    assert lake.read(TABLE).where(of_slice(ODD)).count() == 1
    assert lake.read(TABLE).where(of_slice()).count() == len(GROUPS)


@pytest.mark.parametrize("by_spark", [True, False])
def test_a_slice_may_contain_rows_if_it_has_files_of_any_writer(
    spark: SparkSession, lake: Lake, *, by_spark: bool
) -> None:
    assert not lake.may_contain(TABLE, [("eu", DAY)])
    if by_spark:
        rows(spark, {"cluster": ODD}).write.format("delta").mode("append").save(lake.path(TABLE))
    else:
        lake.replace(TABLE, rows(spark, {"cluster": ODD}), of_slice(ODD))
    assert lake.may_contain(TABLE, [("eu", DAY), (ODD, DAY)])
    assert lake.may_contain(TABLE, [(ODD,)])
    assert not lake.may_contain(TABLE, [("eu", DAY), (ODD, DAY + dt.timedelta(1)), ("",)])
    assert not lake.may_contain(TABLE, [])


def test_appended_rows_are_added_to_the_others_in_few_files(spark: SparkSession, tmp_path: Path) -> None:
    lake, table = Lake(spark, str(tmp_path)), schemas.table("quality.runs")
    properties = ", ".join(f"'{key}' = '{value}'" for key, value in table.properties.items())
    spark.sql(f"create table delta.`{lake.path(table.name)}` ({table.ddl}) using delta tblproperties ({properties})")
    event_rows = EventRows(DAY, "event", 3, 4)
    written = [
        Entry("eu", "silver", DAY, f"t{number}", MOMENT, MOMENT, inputs=2**62, event_rows=(event_rows,) * (number % 2))
        for number in range(51)
    ]
    for entry in written:
        ledger.write(lake, ledger.Run("r"), [entry])
    assert ledger.newest(lake, "silver") == {("eu", DAY, entry.table_name): entry for entry in written}
    assert len(lake.read(table.name).inputFiles()) < 5


def test_a_row_that_another_tool_deletes_is_gone(spark: SparkSession, lake: Lake) -> None:
    lake.replace(TABLE, rows(spark, {"group_id": "kept"}, {"group_id": "deleted"}), of_slice())
    DeltaTable(lake.path(TABLE)).delete("group_id = 'deleted'")
    assert [row.group_id for row in lake.read(TABLE).collect()] == ["kept"]


def test_file_statistics_hide_no_row_from_a_query(spark: SparkSession, lake: Lake) -> None:
    written = [
        {"group_id": group, "committed_at": MOMENT + dt.timedelta(microseconds=number)}
        for number, group in enumerate(GROUPS)
    ]
    for number, row in enumerate([*written, {"group_id": "late", "committed_at": None}]):
        lake.replace(
            TABLE, rows(spark, {**row, "day": DAY + dt.timedelta(number)}), of_slice(day=DAY + dt.timedelta(number))
        )
    assert len(current_files(spark, lake.path(TABLE), "true")) == len(written) + 1
    for row in written:
        assert lake.read(TABLE).where(F.col("group_id") == row["group_id"]).count() == 1
        at = row["committed_at"].isoformat(sep=" ", timespec="microseconds")  # type: ignore[attr-defined]
        assert lake.read(TABLE).where(f"committed_at = timestamp'{at}'").count() == 1
        assert lake.read(TABLE).where(f"committed_at >= timestamp'{at}'").count() >= 1
    assert lake.read(TABLE).where("committed_at is null").count() == 1


def test_a_time_outside_of_the_calendar_is_written_and_left_out_of_the_statistics(tmp_path: Path) -> None:
    times = pa.schema([("at", pa.timestamp("us", "UTC")), ("day", pa.date32())])
    files = table_files.TableFiles("t", str(tmp_path), times, (), ("at", "day"))
    row = pa.table(
        {"at": pa.array([2**62]).cast(times[0].type), "day": pa.array([2**30], pa.int32()).cast(times[1].type)}
    )
    [written_files] = file_writer.write_files([row], files)
    stats = json.loads(json.loads(written_files["file"][0].as_py())["add"]["stats"])
    assert stats == {"numRecords": 1, "minValues": {}, "maxValues": {}, "nullCount": {"at": 0, "day": 0}}


def test_rows_are_not_written_if_one_lacks_a_required_value(spark: SparkSession, lake: Lake) -> None:
    lake.replace(TABLE, rows(spark, {}), of_slice())
    with pytest.raises(Exception, match=r"a row of silver\.offset_commits has no group_id"):
        lake.replace(TABLE, rows(spark, {}, {"group_id": None}), of_slice())
    assert lake.read(TABLE).count() == 1


def test_rows_are_not_written_if_one_belongs_to_another_slice(spark: SparkSession, lake: Lake) -> None:
    with pytest.raises(ValueError, match="outside"):
        lake.replace(TABLE, rows(spark, {}, {"day": DAY + dt.timedelta(1)}), of_slice())
    assert lake.read(TABLE).count() == 0


def test_delta_refuses_one_of_two_concurrent_replacements_of_a_slice(spark: SparkSession, lake: Lake) -> None:
    files = table_files.files_of_table(TABLE, lake.path(TABLE))
    first, second, elsewhere = (
        SliceReplacement(spark, lake.path(TABLE), where) for where in (of_slice(), of_slice(), of_slice("us"))
    )

    def written(**row: object) -> list[str]:
        [written_files] = file_writer.write_files(rows(spark, row).toArrow().to_batches(), files)
        return [str(file) for file in written_files["file"].to_pylist()]

    first.commit(written(group_id="first"))
    with pytest.raises(Py4JJavaError, match="Concurrent"):
        second.commit(written(group_id="second"))
    elsewhere.commit(written(cluster="us", group_id="elsewhere"))
    assert sorted(row.group_id for row in lake.read(TABLE).collect()) == ["elsewhere", "first"]


def test_a_large_file_is_read_in_parts_and_filtered(
    spark: SparkSession, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_writer, "ROWS_PER_GROUP", 100)
    monkeypatch.setattr(file_reader, "ROWS_PER_PART", 300)
    files = table_files.files_of_table(TABLE, lake.path(TABLE))
    table = rows(
        spark, *({"record_offset": number, "group_id": GROUPS[number % 5]} for number in range(1000))
    ).toArrow()
    [written_files] = file_writer.write_files(table.to_batches(max_chunksize=100), files)
    parts = file_reader.split_into_parts([str(file) for file in written_files["file"].to_pylist()])
    assert len(parts) == 3
    tasks = [pa.RecordBatch.from_pydict({"id": [number]}) for number in range(len(parts))]
    row_filter = pc.field("record_offset") >= 250
    batches = list(file_reader.read_parts(tasks, parts, files, ["day", "record_offset"], row_filter))
    assert [row for batch in batches for row in batch.to_pylist()] == [
        {"day": DAY, "record_offset": number} for number in range(250, 1000)
    ]


def test_a_file_with_a_deletion_vector_is_refused() -> None:
    with pytest.raises(UserError, match="Rewrite the file"):
        file_reader.split_into_parts(
            [json.dumps({"add": {"path": "a.parquet", "deletionVector": {"storageType": "u"}}})]
        )
