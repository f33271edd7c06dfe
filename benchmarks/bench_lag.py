"""Lag samples through silver and gold, compared with copying them: `python -m benchmarks.bench_lag [--samples N] [--names]`.

The describes of a recording are multiplied and written to Parquet with the columns of bronze.lag_readings. Spark copies
them to a Delta table; then silver.lag_samples (validated) and silver.log_offsets are built from them, and gold.lag and
gold.lag_health from these. All steps run in one session with the same write settings, one after the other; the best rounds
are compared.

The recording is repeated in time until a day is full, with rising offsets, and then by topic and group: a cluster sampled
every half minute. With `--names` it is repeated by topic and group only: many partitions with a few samples each. With
`--commits` every sampled position is also a commit, from which its status is computed; these rows are not in the copy.
"""

import argparse
import io
import shutil
import tempfile
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import zstandard
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import schemas
from benchmarks.claims import claim
from benchmarks.days import FIRST, RECORDING
from benchmarks.timing import fastest, speeds, timed, total
from expectations import gate
from kafka_telemetry.formats.lag.lag_reader import read_lag_file
from kafka_telemetry.spill import Spill
from spark_jobs.gold.dbt_runner import DbtRunner
from spark_jobs.lake.catalog import open_to_write
from spark_jobs.lake.tables import Lake
from spark_jobs.settings import Settings, load
from spark_jobs.silver.inputs import lag_series
from spark_jobs.silver.inputs.day_inputs import columns_to_judge
from spark_jobs.silver.inputs.set_aside import Problems
from spark_jobs.spark import session

_AIM = 0.6
# The recording covers this time, with a sample every half minute, and its offsets stay below this number.
_RECORDING_SECONDS, _RECORDING_OFFSETS = 330, 5_000


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--samples", type=int, default=6_000_000)
    options.add_argument("--rounds", type=int, default=2)
    options.add_argument("--names", action="store_true")
    options.add_argument("--commits", action="store_true")
    chosen = options.parse_args()
    scratch = Path(tempfile.mkdtemp(prefix="lagoon-lag-"))
    try:
        settings = load(lake=str(scratch / "lake"), environment={})
        spark = session.start_spark(settings)
        tasks = session.tune_for(spark, chosen.samples)
        lake = open_to_write(spark, settings.lake)
        samples = write_multiplied_samples(
            lake, scratch, chosen.samples, repeats=1 if chosen.names else 86_400 // _RECORDING_SECONDS
        )
        if chosen.commits:
            lake.replace("silver.offset_commits", commits(spark.read.parquet(samples)), "true")
        lake.replace("bronze.lag_readings", spark.read.parquet(samples), "true")
        copies, silvers, golds = [], [], []
        for turn in range(1, chosen.rounds + 1):
            copying = partial(_copy, lake, samples, scratch / f"copy-{turn}")
            copies.append(timed(f"copy {turn}", chosen.samples, "samples", copying))
            silvers.append(timed(f"silver {turn}", chosen.samples, "samples", lambda: _silver(lake, tasks)))
            golds.append(timed(f"gold {turn}", chosen.samples, "samples", lambda: _gold(lake, settings)))
        rows = lake.read("gold.lag").count()
        assert rows >= chosen.samples, f"{rows} rows in gold.lag"
    finally:
        shutil.rmtree(scratch)
    copy, silver, to_gold = fastest(copies), fastest(silvers), fastest(golds)
    print(f"{rows:,} samples to silver at {speeds(copy, silver):.2f} x the speed of copying them")
    claim("lag samples to gold / copying them", speeds(copy, total(silver, to_gold)), "x", at_least=_AIM)


def _copy(lake: Lake, samples: str, to: Path) -> None:
    lake.spark.read.parquet(samples).write.format("delta").save(str(to))


def _silver(lake: Lake, tasks: int) -> None:
    readings = lake.read_in_tasks("bronze.lag_readings", lag_series.READING_COLUMNS, "true", lag_series.IS_READ)
    changes = lag_series.generation_changes(lake.read("silver.rebalances"), lake.read("silver.stories"))
    spill = Spill(session.create_task_folder(lake.spark))
    series = lag_series.build_lag_series(
        readings, pc.field("day") == FIRST, changes, spill, tasks, Problems(lake.spark)
    )
    rules = gate.rules_for("silver.lag_samples", {}, on="parsed")
    parsed = series.samples.rows(*columns_to_judge(series.samples.columns, rules))
    counted = (
        gate.with_verdicts(parsed, rules)
        .groupBy("cluster", "day", "delivered_on")
        .agg(*gate.row_counts("true"), *gate.rule_counts(rules))
        .collect()
    )
    assert not any(row.rejected for row in counted), counted
    for table, rows in (("silver.lag_samples", series.samples), ("silver.log_offsets", series.log_ends)):
        lake.replace_by_tasks(table, [rows.task_rows(schemas.table(table).column_names)], "true")
    series.references.unpersist()


def _gold(lake: Lake, settings: Settings) -> None:
    dbt = DbtRunner(lake, settings)
    with dbt.environment([FIRST]):
        dbt.results("run", "--select", "+lag_health")


def write_multiplied_samples(lake: Lake, scratch: Path, samples: int, *, repeats: int) -> str:
    """Writes at least that many samples to Parquet and returns the folder: the recording, `repeats` times in time, copied to
    as many topics and groups as needed. Each file contains the samples of some times, as files of describes do."""
    recording = recorded_positions()
    pq.write_table(recording, scratch / "recording.parquet")
    repeated = lake.spark.range(repeats).select(F.col("id").alias("turn"))
    copies = lake.spark.range(-(-samples // (recording.num_rows * repeats))).select(
        F.col("id").cast("string").alias("copy")
    )
    rows = lake.spark.read.parquet(str(scratch / "recording.parquet")).crossJoin(repeated).crossJoin(copies)
    shift = F.lit(f"{FIRST} 00:00:00").cast("timestamp") - F.lit(recording["sampled_at"].to_pylist()[0])
    rows = rows.withColumn("sampled_at", F.col("sampled_at") + shift + F.make_dt_interval(secs=F.col("turn") * _RECORDING_SECONDS))  # fmt: skip
    for name in ("committed_offset", "log_start_offset", "log_end_offset"):
        rows = rows.withColumn(name, F.col(name) + F.col("turn") * _RECORDING_OFFSETS)
    for name in ("topic", "group_id"):
        rows = rows.withColumn(name, F.concat(name, F.lit("-"), "copy"))
    folder = str(scratch / "samples")
    rows.drop("copy", "turn").repartition(8, "sampled_at").write.parquet(folder)
    return folder


def commits(samples: DataFrame) -> DataFrame:
    rows = samples.where("committed_offset is not null").withColumns(
        {
            "recorded_at": F.col("sampled_at"),
            "committed_at": F.col("sampled_at"),
            "offsets_partition": F.lit(0),
            "record_offset": F.monotonically_increasing_id(),
            "transaction": F.lit("none"),
            "after_tombstone": F.lit(False),
        }
    )
    others = [column for column in schemas.table("silver.offset_commits").columns if column.name not in rows.columns]
    return rows.withColumns({column.name: F.lit(None).cast(column.type) for column in others})


def recorded_positions() -> pa.Table:
    batches = []
    for file in sorted((RECORDING / "lag").glob("describe-offsets-*")):
        content = zstandard.ZstdDecompressor().stream_reader(file.read_bytes()).read()
        batches += list(read_lag_file(io.BytesIO(content), file.name.removesuffix(".zst")))
    readings = pa.Table.from_batches(batches).filter(pc.field("kind") == "group_offset")
    columns = {name: readings[name] for name in readings.column_names}
    columns |= {
        "cluster": pa.repeat("recorded", readings.num_rows),
        "delivered_on": pa.repeat(pa.scalar(FIRST, pa.date32()), readings.num_rows),
        "day": pa.repeat(pa.scalar(FIRST, pa.date32()), readings.num_rows),
        "source_file": pa.repeat("describe", readings.num_rows),
    }
    return pa.table({name: columns[name] for name in schemas.table("bronze.lag_readings").column_names})


if __name__ == "__main__":
    main()
