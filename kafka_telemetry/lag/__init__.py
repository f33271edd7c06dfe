"""What tools told of logs and of positions on them, as series in time: what was told before, since when the same is told, when
a log ended at a position. By the column, and knows nothing of Spark."""
