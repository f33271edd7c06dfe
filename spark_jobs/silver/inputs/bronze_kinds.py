"""The kinds of bronze rows that silver reads (`kind` of bronze.offset_records, log_lines and lag_readings)."""

# Records of the offsets topic that have a position in its log.
LOG_KINDS = ("commit", "group", "marker", "unknown")
# Records that a console consumer printed without their position.
UNPLACED_KINDS = ("unplaced_commit", "unplaced_group")
COMMIT_KINDS = ("commit", "unplaced_commit")
GROUP_KINDS = ("group", "unplaced_group")
LINE_KINDS = ("event", "config")
LAG_KINDS = ("group_offset", "log_offset")
# What an earlier day may wait for: readings of log ends, and transaction markers.
FINISHING_KINDS = (*LAG_KINDS, "marker")
# Which bronze table has rows of which kinds.
KINDS_OF_TABLES = {
    "bronze.log_lines": LINE_KINDS,
    "bronze.offset_records": (*LOG_KINDS, *UNPLACED_KINDS),
    "bronze.lag_readings": LAG_KINDS,
}
