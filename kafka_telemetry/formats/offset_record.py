"""The columns of one record of `__consumer_offsets`, whether it was read from a raw segment or from a text dump."""

import pyarrow as pa

_TIME = pa.timestamp("us", tz="UTC")

OFFSET_RECORD = pa.schema(
    [
        # commit: key types 0 and 1. group: key types 2 to 23. marker: the end of a transaction.
        # unknown: a record that isn't understood, with its bytes. damaged: a batch that can't be read.
        ("kind", pa.string()),
        # Segments: byte position of the batch in the decompressed file. Text dumps: number of the line or JSON object.
        ("source_position", pa.int64()),
        ("record_offset", pa.int64()),
        ("recorded_at", _TIME),
        ("batch_leader_epoch", pa.int32()),
        # Null where Kafka writes -1, here and in leader_epoch and expires_at.
        ("producer_id", pa.int64()),
        ("transactional", pa.bool_()),
        ("marker", pa.string()),
        ("key_type", pa.int16()),
        ("value_version", pa.int16()),
        ("tombstone", pa.bool_()),
        ("group_id", pa.string()),
        ("topic", pa.string()),
        ("partition_id", pa.int32()),
        ("committed_offset", pa.int64()),
        ("leader_epoch", pa.int32()),
        ("metadata", pa.string()),
        ("committed_at", _TIME),
        ("expires_at", _TIME),
        # 22 characters, URL-safe base64.
        ("topic_id", pa.string()),
        ("member_id", pa.string()),
        ("regular_expression", pa.string()),
        # The value as kafka-dump-log prints its `data`.
        ("value_json", pa.string()),
        ("key_bytes", pa.binary()),
        ("value_bytes", pa.binary()),
        ("problem", pa.string()),
    ]
)
