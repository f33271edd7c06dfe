"""Which commits count as a position, and what a position tells."""

# Of a copy without a position in the log nobody knows whether it was in a transaction: it counts.
EFFECTIVE = "coalesce(transaction, 'none') in ('none', 'committed')"
POSITION = ("committed_offset", "committed_at", "recorded_at", "offsets_partition", "record_offset")
