"""Answers queries on the lake without Spark: in about a second, and only where the answer is the one that Spark gives."""
