"""Reads a live Kafka cluster into landing. Nothing here needs Spark."""
