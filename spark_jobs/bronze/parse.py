"""Landed files to rows: runs the wire's readers in Spark's tasks and says where each row came from."""

import datetime as dt
import hashlib
import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
from pyspark import AccumulatorParam
from pyspark.sql import DataFrame, SparkSession

import schemas
from kafka_telemetry.formats.compression import decompress
from kafka_telemetry.formats.receipt import Reading, Receipt
from spark_jobs.landing import LandedFile, open_file
from spark_jobs.settings import Settings

# The settings say what the file can't: the zone of its times, the words of its site.
Read = Callable[[BinaryIO, LandedFile, Settings], Reading]
# Columns that a table adds to what the wire tells, by the batch and the file it is from.
Add = Callable[[pa.RecordBatch, LandedFile], dict[str, pa.Array]]


@dataclass(frozen=True)
class Source:
    """How the files of one source become rows of one bronze table."""

    table: str
    read: Read
    add: Add
    # Columns that tell a row's time, the best first.
    times: tuple[str, ...]


@dataclass(frozen=True)
class FileRead:
    """What came of one file: what `bronze.files` keeps."""

    file: LandedFile
    content: str
    receipt: Receipt
    tells: dict[tuple[dt.date, str], int]
    first_at: dt.datetime | None
    last_at: dt.datetime | None
    problem: str | None


class _Receipts(AccumulatorParam[dict[str, FileRead]]):
    """Receipts come home by file, so a task that ran twice counts once."""

    def zero(self, value: dict[str, FileRead]) -> dict[str, FileRead]:  # noqa: ARG002
        return {}

    def addInPlace(self, value1: dict[str, FileRead], value2: dict[str, FileRead]) -> dict[str, FileRead]:  # noqa: N802
        value1.update(value2)
        return value1


@dataclass(frozen=True)
class Rows:
    """Rows not yet read, by task, and the receipts that are complete once they have been written."""

    tasks: DataFrame
    read_task: Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]
    _receipts: Any

    def receipts(self) -> list[FileRead]:
        return [self._receipts.value[path] for path in sorted(self._receipts.value)]


def read_files(spark: SparkSession, settings: Settings, files: Sequence[LandedFile], source: Source) -> Rows:
    receipts = spark.sparkContext.accumulator({}, _Receipts())
    tasks = _packed_evenly(files, spark.sparkContext.defaultParallelism)
    plan = spark.createDataFrame(
        spark.sparkContext.parallelize([(number,) for number in range(len(tasks))], len(tasks)), "task int"
    )

    def read_task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column("task").to_pylist():
                for file in tasks[number]:
                    yield from rows_of(settings, file, source, lambda done: receipts.add({done.file.path: done}))

    return Rows(plan, read_task, receipts)


def _packed_evenly(files: Sequence[LandedFile], cores: int) -> list[list[LandedFile]]:
    """Large files get a task each, small ones share: a task costs more than a describe output."""
    goal = max(sum(file.size for file in files) // (4 * cores), 4 << 20)
    tasks: list[list[LandedFile]] = []
    room = 0
    for file in sorted(files, key=lambda file: (-file.size, file.path)):
        # An open costs about as much as reading 64 KiB.
        cost = file.size + (64 << 10)
        if not tasks or cost > room:
            tasks.append([])
            room = goal
        tasks[-1].append(file)
        room -= cost
    return tasks


def rows_of(
    settings: Settings, file: LandedFile, source: Source, hand_in: Callable[[FileRead], None]
) -> Iterator[pa.RecordBatch]:
    """The rows of one file, and what came of it when they are all told."""
    wanted = schemas.table(source.table)
    tells: Counter[tuple[dt.date, str]] = Counter()
    spans: list[tuple[dt.datetime | None, dt.datetime | None]] = []
    day = file.delivered_on
    problem = None
    with open_file(settings.landing, file.path) as raw:
        hashed = _Hashed(raw)
        reading = source.read(decompress(io.BufferedReader(hashed, 1 << 20)), file, settings)
        while True:
            try:
                batch = next(reading)
            except StopIteration as end:
                receipt: Receipt = end.value
                break
            except (EOFError, OSError, ValueError, _zstd_error()) as error:
                problem = f"read only in part: {error}"
                rows = sum(tells.values())
                receipt = Receipt(format="torn", records=rows, understood=rows)
                break
            days, day = _days(batch, source.times, day)
            added = source.add(batch, file)
            _count(tells, days, added.get("kind", batch.column("kind")))
            spans.append(_span(batch, source.times))
            if batch.num_rows and batch.column("kind")[0].as_py() == "rejected_file":
                problem = f"rejected: {batch.column('problem')[0].as_py()}"
            columns = {
                "cluster": pa.repeat(file.cluster, batch.num_rows),
                "delivered_on": pa.repeat(pa.scalar(file.delivered_on), batch.num_rows),
                "source_file": pa.repeat(file.path, batch.num_rows),
                "day": days,
                **added,
            }
            yield pa.RecordBatch.from_arrays(
                [columns[name] if name in columns else batch.column(name) for name in wanted.column_names],
                names=wanted.column_names,
            )
        hashed.drain()
    firsts = [first for first, _ in spans if first is not None]
    lasts = [last for _, last in spans if last is not None]
    hand_in(
        FileRead(
            file=file,
            content=hashed.digest(),
            receipt=receipt,
            tells=dict(tells),
            first_at=min(firsts, default=None),
            last_at=max(lasts, default=None),
            problem=problem,
        )
    )


def _days(batch: pa.RecordBatch, times: Sequence[str], day_before: dt.date) -> tuple[pa.Array, dt.date]:
    """A row's day is that of its time; without one, that of the row before it in its file, else the delivery."""
    known = pc.coalesce(*[batch.column(name).cast(pa.date32()) for name in times])
    if known.null_count:
        known = pc.fill_null(pc.fill_null_forward(known), pa.scalar(day_before))
    last = known[-1].as_py() if len(known) else day_before
    return known, last


def _count(tells: Counter[tuple[dt.date, str]], days: pa.Array, kinds: pa.Array) -> None:
    counts = pa.table({"day": days, "kind": kinds}).group_by(["day", "kind"]).aggregate([([], "count_all")])
    for row in counts.to_pylist():
        tells[row["day"], row["kind"]] += row["count_all"]


def _span(batch: pa.RecordBatch, times: Sequence[str]) -> tuple[dt.datetime | None, dt.datetime | None]:
    span = pc.min_max(pc.coalesce(*[batch.column(name) for name in times]))
    return span["min"].as_py(), span["max"].as_py()


class _Hashed(io.RawIOBase):
    """Takes the fingerprint of the bytes on their way through."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw
        self._hash = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._raw.read(len(buffer))
        self._hash.update(data)
        buffer[: len(data)] = data
        return len(data)

    def drain(self) -> None:
        while data := self._raw.read(1 << 20):
            self._hash.update(data)

    def digest(self) -> str:
        return self._hash.hexdigest()[:16]


def _zstd_error() -> type[Exception]:
    import zstandard

    error: type[Exception] = zstandard.ZstdError
    return error
