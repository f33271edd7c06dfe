"""bronze.log_lines: the lines that brokers and clients logged about consumer groups."""

from typing import BinaryIO

import pyarrow as pa

from kafka_telemetry.formats.logs.log_reader import read_log_file
from kafka_telemetry.formats.receipt import Reading
from spark_jobs.bronze.source import Source
from spark_jobs.landing import LandedFile
from spark_jobs.settings import Settings


def _read_file(file: BinaryIO, landed: LandedFile, settings: Settings) -> Reading:
    return read_log_file(
        file,
        landed.path,
        timezone=settings.cluster(landed.cluster).timezone,
        delivery_day=landed.delivered_on,
        patterns=settings.log_patterns,
    )


def _add_columns(batch: pa.RecordBatch, file: LandedFile) -> dict[str, pa.Array]:
    return {"origin": pa.repeat(pa.scalar(file.origin, pa.string()), batch.num_rows)}


SOURCE = Source(
    name="group_logs",
    table="bronze.log_lines",
    read_file=_read_file,
    add_columns=_add_columns,
    # A line without a time has the day of the line before it.
    time_columns=("happened_at", "written_after"),
    reader_version=13,
)
