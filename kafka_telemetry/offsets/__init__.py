"""One log of `__consumer_offsets` out of its copies, a batch of columns at a time: which record counts at a place, where
the log has holes, how transactions ended. Knows nothing of Spark."""
