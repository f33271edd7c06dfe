"""Rebuilds each log of `__consumer_offsets` from its copies, a batch of columns at a time: which record counts at an
offset, where records are missing, how transactions ended, and which position precedes each commit."""
