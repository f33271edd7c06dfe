"""What a line of a broker's or a consumer's log says, once it is read."""

import pyarrow as pa

# kind: 'event' an understood line, 'config' a printed consumer configuration, 'unknown' a coordinator's line that no
# template knows. source_position: number of the first line, from 1. happened_at: null where the file does not tell.
# written_after: where that is so, when the
# last line before it was written that does tell. generation: a classic group's generation or another group's epoch. details: whatever else the line names.
LOG_LINE: pa.Schema = pa.schema(
    [
        pa.field("kind", pa.string(), nullable=False),
        pa.field("source_position", pa.int64(), nullable=False),
        pa.field("happened_at", pa.timestamp("us", tz="UTC")),
        pa.field("written_after", pa.timestamp("us", tz="UTC")),
        pa.field("level", pa.string()),
        pa.field("thread", pa.string()),
        pa.field("logger", pa.string()),
        pa.field("side", pa.string(), nullable=False),
        pa.field("event", pa.string()),
        pa.field("group_id", pa.string()),
        pa.field("member_id", pa.string()),
        pa.field("client_id", pa.string()),
        pa.field("instance_id", pa.string()),
        pa.field("generation", pa.int32()),
        pa.field("offsets_partition", pa.int32()),
        pa.field("reason", pa.string()),
        pa.field("reason_text", pa.string()),
        pa.field("details", pa.map_(pa.string(), pa.string())),
        pa.field("settings", pa.map_(pa.string(), pa.string())),
        pa.field("text", pa.string(), nullable=False),
    ]
)
