"""bronze.lag_readings: committed offsets, log ends and lag as tools and exporters reported them."""

import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.formats.lag.lag_reader import read_lag_file
from spark_jobs.bronze.source import Source
from spark_jobs.landing import LandedFile


def _add_columns(batch: pa.RecordBatch, _file: LandedFile) -> dict[str, pa.Array]:
    """Separates positions of clients: a client's metrics say how far it has read and not for which group."""
    kind = batch.column("kind")
    without_group = pc.and_(pc.equal(kind, "group_offset"), pc.is_null(batch.column("group_id")))
    return {"kind": pc.if_else(without_group, "client_position", kind)}


SOURCE = Source(
    name="lag_metrics",
    table="bronze.lag_readings",
    read_file=lambda file, landed, settings: read_lag_file(file, landed.path, settings.metric_names),
    add_columns=_add_columns,
    time_columns=("sampled_at",),
    reader_version=13,
)
