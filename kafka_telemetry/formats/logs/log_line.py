"""The columns of the lines that are read from the logs of brokers and consumers."""

import pyarrow as pa

# kind: 'event', a line that matches a template; 'config', a printed consumer configuration; 'unknown', a line of a group
# coordinator that matches no template.
# source_position: the number of the first line in the file, from 1.
# happened_at: null if the file does not show it; then written_after is the time of the last line before that has one.
# generation: the generation of a classic group, or the epoch of another group.
# details: all other fields of the line.
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
