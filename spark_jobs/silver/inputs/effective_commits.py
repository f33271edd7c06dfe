"""Which commits count as a position, and the columns of a position."""

# Nobody knows whether a commit that a console consumer printed was transactional: it counts.
EFFECTIVE = "coalesce(transaction, 'none') in ('none', 'committed')"
POSITION = ("committed_offset", "committed_at", "recorded_at", "offsets_partition", "record_offset")
# What a position belongs to.
POSITION_KEY = ("cluster", "group_id", "topic", "partition_id")
