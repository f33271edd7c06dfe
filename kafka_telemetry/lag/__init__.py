"""Readings of lag tools as time series of logs and of group positions: what the previous reading was, since when nothing has
changed, when a log ended at a position. Works on columns."""
