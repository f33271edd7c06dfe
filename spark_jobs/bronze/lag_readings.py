"""bronze.lag_readings: what tools reported of groups and logs."""

import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.formats.lag.lag_reader import read_lag_file
from spark_jobs.bronze.parse import Source
from spark_jobs.landing import LandedFile


def _add(batch: pa.RecordBatch, _file: LandedFile) -> dict[str, pa.Array]:
    """A running client tells how far it has read, and not for which group: that is no group's position."""
    kind = batch.column("kind")
    nameless = pc.and_(pc.equal(kind, "group_offset"), pc.is_null(batch.column("group_id")))
    return {"kind": pc.if_else(nameless, "client_position", kind)}


SOURCE = Source(
    table="bronze.lag_readings",
    read=lambda file, landed, settings: read_lag_file(file, landed.path, settings.metric_names),
    add=_add,
    times=("sampled_at",),
)
