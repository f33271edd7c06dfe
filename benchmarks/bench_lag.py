"""What lag costs beside a copy of its samples: `python -m benchmarks.bench_lag [samples]`.

The describes of a recording, multiplied by topic and group, lie as Parquet with the columns of bronze.lag_readings. Spark
copies them to Delta; then they become silver.lag_samples (judged) and silver.log_offsets, and these gold.lag and
gold.lag_health. Both in one session, one after the other, twice; the better of two on either side is compared. There are
no commits among them: what a window of commits costs grows with commits, not with samples.
"""

import io
import shutil
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import zstandard
from pyspark.sql import functions as F

import schemas
from benchmarks.days import FIRST, RECORDING
from expectations import gate
from spark_jobs import gold, session
from spark_jobs.lake import Lake, open_to_write
from spark_jobs.settings import Settings, load
from spark_jobs.silver import lag_samples, log_offsets
from spark_jobs.wire.lag_format import read_lag_file

_AIM = 0.3


def main() -> None:
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000_000
    scratch = Path(tempfile.mkdtemp(prefix="lagoon-lag-"))
    try:
        settings = load(lake=str(scratch / "lake"), environment={})
        spark = session.start(settings)
        session.suit(spark, wanted)
        lake = open_to_write(spark, settings.lake)
        samples = multiplied(lake, scratch, wanted)
        copying, making = [], []
        for turn in (1, 2):
            started = time.perf_counter()
            spark.read.parquet(samples).write.format("delta").save(str(scratch / f"copy-{turn}"))
            copying.append(time.perf_counter() - started)
            steps = made(lake, settings, samples)
            making.append(sum(steps))
            print(
                f"copy {copying[-1]:.1f} s, silver {steps[0]:.1f} s, gold.lag and gold.lag_health {steps[1]:.1f} s",
                flush=True,
            )
        rows = lake.read("gold.lag").count()
    finally:
        shutil.rmtree(scratch)
    assert rows >= wanted, f"{rows} rows in gold.lag"
    speed = min(copying) / min(making)
    print(f"{rows:,} samples: {speed:.2f} of the speed of copying them (aim: {_AIM} or more)")


def made(lake: Lake, settings: Settings, samples: str) -> tuple[float, float]:
    """Seconds for silver, and for gold."""
    started = time.perf_counter()
    readings = lake.spark.read.parquet(samples)
    days = lake.spark.createDataFrame([("recorded", FIRST)], "cluster string, day date")
    judged = gate.judged(lag_samples.offered(readings, days), gate.rules_for("silver.lag_samples", {}, on="offered"))
    lake.replace("silver.lag_samples", gate.lawful(judged), "true")
    lake.replace("silver.log_offsets", log_offsets.log_offsets(readings), "true")
    silver = time.perf_counter()
    asked = {**gold._asked(lake, settings, [FIRST]), **gold._deliveries({}, {}, [FIRST])}
    with gold._environment(asked):
        gold._results("run", "--select", "lag", "lag_health", *gold._common(lake, settings))
    return silver - started, time.perf_counter() - silver


def multiplied(lake: Lake, scratch: Path, wanted: int) -> str:
    """Where the samples lie: the recording's, so often that there are as many as wanted."""
    one = recorded()
    pq.write_table(one, scratch / "one.parquet")
    times = -(-wanted // one.num_rows)
    copies = lake.spark.range(times).select(F.col("id").cast("string").alias("copy"))
    rows = lake.spark.read.parquet(str(scratch / "one.parquet")).crossJoin(copies)
    for name in ("topic", "group_id"):
        rows = rows.withColumn(name, F.concat(name, F.lit("-"), "copy"))
    place = str(scratch / "samples")
    rows.drop("copy").repartition(8).write.parquet(place)
    return place


def recorded() -> pa.Table:
    batches = []
    for file in sorted((RECORDING / "lag").glob("describe-offsets-*")):
        content = zstandard.ZstdDecompressor().stream_reader(file.read_bytes()).read()
        batches += list(read_lag_file(io.BytesIO(content), file.name.removesuffix(".zst")))
    told = pa.Table.from_batches(batches).filter(pc.field("kind") == "group_offset")
    columns = {name: told[name] for name in told.column_names}
    columns |= {
        "cluster": pa.repeat("recorded", told.num_rows),
        "delivered_on": pa.repeat(pa.scalar(FIRST, pa.date32()), told.num_rows),
        "day": pa.repeat(pa.scalar(FIRST, pa.date32()), told.num_rows),
        "source_file": pa.repeat("describe", told.num_rows),
    }
    return pa.table({name: columns[name] for name in schemas.table("bronze.lag_readings").column_names})


if __name__ == "__main__":
    main()
