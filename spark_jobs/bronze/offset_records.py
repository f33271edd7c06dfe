"""bronze.offset_records: the records of `__consumer_offsets` as the files hold them."""

import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.formats.dumps.dump_reader import offsets_partition, read_offset_dump
from spark_jobs.bronze.parse import Source
from spark_jobs.landing import LandedFile


def java_hash(text: str) -> int:
    """What Kafka takes of a group id to find its partition: Java's hash of UTF-16 code units, made positive."""
    units = text.encode("utf-16-be", "surrogatepass")
    value = 0
    for high, low in zip(units[::2], units[1::2], strict=True):
        value = (31 * value + (high << 8 | low)) & 0xFFFFFFFF
    signed = value - (1 << 32) if value >= 1 << 31 else value
    return 0 if signed == -(1 << 31) else abs(signed)


def _add(batch: pa.RecordBatch, file: LandedFile) -> dict[str, pa.Array]:
    groups = pc.dictionary_encode(batch.column("group_id"))
    hashes = pa.array([java_hash(group) for group in groups.dictionary.to_pylist()], pa.int32())
    partition = pa.repeat(pa.scalar(offsets_partition(file.path), pa.int32()), batch.num_rows)
    if "offsets_partition" in batch.schema.names:
        # A dump of the log names the folder that it was read from, and may hold several; its own place says less.
        partition = pc.coalesce(batch.column("offsets_partition"), partition)
    # A dump that prints no offsets, or a file in no partition's folder, tells what was committed, but not where in the
    # log: it is kept apart.
    kind = batch.column("kind")
    nowhere = pc.or_(pc.is_null(batch.column("record_offset")), pc.is_null(partition))
    unplaced = pc.and_(pc.is_in(kind, pa.array(["commit", "group"])), nowhere)
    return {
        "kind": pc.if_else(unplaced, pc.binary_join_element_wise("unplaced", kind, "_"), kind),
        "offsets_partition": partition,
        "group_hash": hashes.take(groups.indices),
    }


SOURCE = Source(
    table="bronze.offset_records",
    read=lambda file, landed, _settings: read_offset_dump(file, landed.path),
    add=_add,
    times=("recorded_at", "committed_at"),
)
