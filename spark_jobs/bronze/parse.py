"""Parses landed files in Spark's tasks: the rows of a bronze table, and a receipt for each file."""

import datetime as dt
import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark import AccumulatorParam
from pyspark.sql import SparkSession

import schemas
from kafka_telemetry.formats.compression import damage_of, decompress
from kafka_telemetry.formats.receipt import Receipt
from spark_jobs.bronze.hashing_reader import HashingReader
from spark_jobs.bronze.source import Source
from spark_jobs.lake.task_rows import TaskRows
from spark_jobs.landing import LandedFile, open_file
from spark_jobs.settings import Settings

_FIRST_DAY = dt.date(1970, 1, 1)
# Wrong clocks are ahead by hours, and files that are tried out by months.
_LONGEST_AHEAD = dt.timedelta(400)

# (event day, kind of row)
DayAndKind = tuple[dt.date, str]
TimeSpan = tuple[dt.datetime | None, dt.datetime | None]


@dataclass(frozen=True)
class FileReceipt:
    """What was parsed of one file: its row in bronze.files."""

    file: LandedFile
    content_hash: str
    receipt: Receipt
    rows: dict[DayAndKind, int]
    first_at: dt.datetime | None
    last_at: dt.datetime | None
    problem: str | None


class _ReceiptAccumulator(AccumulatorParam[dict[str, FileReceipt]]):
    """Collects receipts by file, so that a task that ran twice counts once."""

    def zero(self, value: dict[str, FileReceipt]) -> dict[str, FileReceipt]:  # noqa: ARG002
        return {}

    def addInPlace(  # noqa: N802
        self, value1: dict[str, FileReceipt], value2: dict[str, FileReceipt]
    ) -> dict[str, FileReceipt]:
        value1.update(value2)
        return value1


@dataclass(frozen=True)
class ParsedFiles:
    """Rows that tasks will parse while they are written, and the receipts, which are complete afterwards."""

    rows: TaskRows
    _receipts: Any

    def files_done(self) -> int:
        return len(self._receipts.value)

    def receipts(self) -> list[FileReceipt]:
        return [self._receipts.value[path] for path in sorted(self._receipts.value)]


def parse_files(spark: SparkSession, settings: Settings, files: Sequence[LandedFile], source: Source) -> ParsedFiles:
    receipts = spark.sparkContext.accumulator({}, _ReceiptAccumulator())
    tasks = _files_by_task(files, spark.sparkContext.defaultParallelism)
    numbers = spark.createDataFrame(
        spark.sparkContext.parallelize([(number,) for number in range(len(tasks))], len(tasks)), "task int"
    )

    def parse_task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column("task").to_pylist():
                for file in tasks[number]:
                    yield from parse_file(
                        settings, file, source, lambda receipt: receipts.add({receipt.file.path: receipt})
                    )

    return ParsedFiles(TaskRows(numbers, parse_task), receipts)


def _files_by_task(files: Sequence[LandedFile], cores: int) -> list[list[LandedFile]]:
    """Gives each large file a task of its own and lets small files share one, since a task costs more than a small file."""
    goal = max(sum(file.size for file in files) // (4 * cores), 4 << 20)
    tasks: list[list[LandedFile]] = []
    room = 0
    for file in sorted(files, key=lambda file: (-file.size, file.path)):
        # Opening a file costs about as much as reading 64 KiB.
        cost = file.size + (64 << 10)
        if not tasks or cost > room:
            tasks.append([])
            room = goal
        tasks[-1].append(file)
        room -= cost
    return tasks


def parse_file(
    settings: Settings, file: LandedFile, source: Source, hand_in: Callable[[FileReceipt], None]
) -> Iterator[pa.RecordBatch]:
    """Yields the rows of one file and then hands in its receipt. A damaged file yields the rows before the damage.

    Whatever else goes wrong with a file has the same result: nothing that one file contains may stop the others.
    """
    rows: Counter[DayAndKind] = Counter()
    spans: list[TimeSpan] = []
    last_day = file.delivered_on
    problem = None
    with open_file(settings.landing, file.path, settings.store) as stream:
        hashing = HashingReader(stream)
        content = decompress(io.BufferedReader(hashing, 1 << 20))
        reading = source.read_file(content, file, settings)
        while True:
            try:
                batch = next(reading)
                days, last_day = _days(batch, source.time_columns, last_day, file.delivered_on)
                span = _time_span(batch, source.time_columns)
                table_rows = _with_added_columns(batch, days, file, source)
                _count(rows, days, table_rows.column("kind"))
            except StopIteration as end:
                receipt: Receipt = end.value
                if hashing.failure is not None:
                    raise hashing.failure from end
                problem = problem or _problem_of(damage_of(content))
                break
            except Exception as error:
                if hashing.failure is not None:
                    raise hashing.failure from error
                receipt = Receipt(format="torn", records=rows.total(), understood=rows.total())
                problem = _problem_of(error)
                break
            spans.append(span)
            if batch.num_rows and batch.column("kind")[0].as_py() == "rejected_file":
                problem = f"rejected: {batch.column('problem')[0].as_py()}"
            yield table_rows
        content_hash = hashing.hash_of_all()
    first_at = min((first for first, _ in spans if first is not None), default=None)
    last_at = max((last for _, last in spans if last is not None), default=None)
    hand_in(FileReceipt(file, content_hash, receipt, dict(rows), first_at, last_at, problem))


def _days(
    batch: pa.RecordBatch, time_columns: Sequence[str], day_before: dt.date, delivered_on: dt.date
) -> tuple[pa.Array, dt.date]:
    """The event day of each row: of its time, else of the row before it in the file, else the day of delivery. A time that
    no delivery can contain counts as none: there is nothing before the first day, or after the last one of the calendar."""
    days = pc.coalesce(*[batch.column(name).cast(pa.date32()) for name in time_columns])
    possible = pc.and_(
        pc.greater_equal(days, pa.scalar(_FIRST_DAY)), pc.less_equal(days, pa.scalar(delivered_on + _LONGEST_AHEAD))
    )
    days = pc.if_else(possible, days, pa.scalar(None, pa.date32()))
    if days.null_count:
        days = pc.fill_null(pc.fill_null_forward(days), pa.scalar(day_before))
    last = days[-1].as_py() if len(days) else day_before
    return days, last


def _count(rows: Counter[DayAndKind], days: pa.Array, kinds: pa.Array) -> None:
    counts = pa.table({"day": days, "kind": kinds}).group_by(["day", "kind"]).aggregate([([], "count_all")])
    for row in counts.to_pylist():
        rows[row["day"], row["kind"]] += row["count_all"]


def _time_span(batch: pa.RecordBatch, time_columns: Sequence[str]) -> TimeSpan:
    span = pc.min_max(pc.coalesce(*[batch.column(name) for name in time_columns]))
    return span["min"].as_py(), span["max"].as_py()


def _with_added_columns(batch: pa.RecordBatch, days: pa.Array, file: LandedFile, source: Source) -> pa.RecordBatch:
    columns = {
        "cluster": pa.repeat(file.cluster, batch.num_rows),
        "delivered_on": pa.repeat(pa.scalar(file.delivered_on), batch.num_rows),
        "source_file": pa.repeat(file.path, batch.num_rows),
        "day": days,
        **source.add_columns(batch, file),
    }
    names = schemas.table(source.table).column_names
    return pa.RecordBatch.from_arrays(
        [columns[name] if name in columns else batch.column(name) for name in names], names=names
    )


def _problem_of(error: Exception | None) -> str | None:
    if error is None:
        return None
    reason = next(iter(str(error).splitlines()), "") or type(error).__name__
    return f"read only in part: {reason}"
