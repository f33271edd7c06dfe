"""The numbers that rules compare with. Gold's findings about settings compare with the same ones (macro `threshold`)."""

# A session timeout should hold so many heartbeats, so that losing one or two does not end the session.
HEARTBEATS_PER_SESSION = 3
# A commit is late if so many commit intervals have passed since the one before: auto-commit waits for the next poll.
LATE_COMMIT_INTERVALS = 2
# A broker counts these bytes of the log's own (offset and size of a batch) into message.max.bytes: by default 1 MiB and 12.
BATCH_OVERHEAD_BYTES = 12

THRESHOLDS = {
    "heartbeats_per_session": HEARTBEATS_PER_SESSION,
    "late_commit_intervals": LATE_COMMIT_INTERVALS,
    "batch_overhead_bytes": BATCH_OVERHEAD_BYTES,
}
