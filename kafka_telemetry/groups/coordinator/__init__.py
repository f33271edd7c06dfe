"""Replays group records in the order of the log, as a group coordinator does when it loads a partition of the offsets topic."""
