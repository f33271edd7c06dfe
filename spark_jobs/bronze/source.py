"""What a bronze table declares about the files that it is read from."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

import pyarrow as pa

from kafka_telemetry.formats.receipt import Reading
from spark_jobs.landing import LandedFile
from spark_jobs.settings import Settings

# Parses one file. The settings hold what the file does not: the time zone, and log layouts and metric names of the site.
ReadFile = Callable[[BinaryIO, LandedFile, Settings], Reading]
# Columns that the table adds to a parsed batch, or replaces in it.
AddColumns = Callable[[pa.RecordBatch, LandedFile], dict[str, pa.Array]]


@dataclass(frozen=True)
class Source:
    """How the files of one source folder of landing become rows of one bronze table."""

    name: str
    table: str
    read_file: ReadFile
    add_columns: AddColumns
    # The columns that may hold a row's time: the first that is not null is used.
    time_columns: tuple[str, ...]
    # The LAKE_VERSION in which its readers last changed: what earlier ones read is read again.
    reader_version: int
