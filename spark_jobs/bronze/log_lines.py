"""bronze.log_lines: what brokers and consumers wrote into their logs about groups."""

from typing import BinaryIO

import pyarrow as pa

from kafka_telemetry.formats.logs.log_reader import read_log_file
from kafka_telemetry.formats.receipt import Reading
from spark_jobs.bronze.parse import Source
from spark_jobs.landing import LandedFile
from spark_jobs.settings import Settings


def _read(file: BinaryIO, landed: LandedFile, settings: Settings) -> Reading:
    return read_log_file(
        file,
        landed.path,
        timezone=settings.cluster(landed.cluster).timezone,
        delivery_day=landed.delivered_on,
        patterns=settings.log_patterns,
    )


def _add(batch: pa.RecordBatch, file: LandedFile) -> dict[str, pa.Array]:
    return {"origin": pa.repeat(pa.scalar(file.origin, pa.string()), batch.num_rows)}


SOURCE = Source(
    table="bronze.log_lines",
    read=_read,
    add=_add,
    # A line without a time was written after the one before it, on whichever day that was.
    times=("happened_at", "written_after"),
)
