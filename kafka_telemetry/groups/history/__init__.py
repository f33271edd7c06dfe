"""The history of consumer groups: log lines of brokers and clients merged with the generations of the offsets topic."""
