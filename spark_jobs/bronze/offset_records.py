"""bronze.offset_records: the records of `__consumer_offsets`, one row per record and file."""

import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.formats.dumps.dump_reader import offsets_partition, read_offset_dump
from spark_jobs.bronze.source import Source
from spark_jobs.landing import LandedFile


def java_hash(text: str) -> int:
    """The hash of a group id from which Kafka computes its partition: Java's String.hashCode, made positive."""
    units = text.encode("utf-16-be", "surrogatepass")
    value = 0
    for high, low in zip(units[::2], units[1::2], strict=True):
        value = (31 * value + (high << 8 | low)) & 0xFFFFFFFF
    signed = value - (1 << 32) if value >= 1 << 31 else value
    return 0 if signed == -(1 << 31) else abs(signed)


def _add_columns(batch: pa.RecordBatch, file: LandedFile) -> dict[str, pa.Array]:
    groups = pc.dictionary_encode(batch.column("group_id"))
    hashes = pa.array([java_hash(group) for group in groups.dictionary.to_pylist()], pa.int32())
    partition = pa.repeat(pa.scalar(offsets_partition(file.path), pa.int32()), batch.num_rows)
    if "offsets_partition" in batch.schema.names:
        # A dump of the log names the folder of each segment that it contains, which is surer than the folder of the dump.
        partition = pc.coalesce(batch.column("offsets_partition"), partition)
    # A dump without record offsets, or outside of a partition's folder, does not say where in the log a record is. Such
    # records have kinds of their own.
    kind = batch.column("kind")
    without_position = pc.or_(pc.is_null(batch.column("record_offset")), pc.is_null(partition))
    unplaced = pc.and_(pc.is_in(kind, pa.array(["commit", "group"])), without_position)
    return {
        "kind": pc.if_else(unplaced, pc.binary_join_element_wise("unplaced", kind, "_"), kind),
        "offsets_partition": partition,
        "group_hash": hashes.take(groups.indices),
    }


SOURCE = Source(
    name="offset_dumps",
    table="bronze.offset_records",
    read_file=lambda file, landed, _settings: read_offset_dump(file, landed.path),
    add_columns=_add_columns,
    time_columns=("recorded_at", "committed_at"),
    reader_version=13,
)
