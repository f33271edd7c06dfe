"""Replays group records in the order of the log, as a coordinator does when it loads an offsets partition."""
