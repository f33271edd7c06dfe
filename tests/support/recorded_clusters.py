"""Clusters of the lakes that tests share (tests/conftest.py), each with the recording that it delivers."""

from collections.abc import Callable

from pyspark.sql import Row

from support.independent_log_reader import Generation, Member

# Clusters that deliver a whole recording.
WHOLE = {"recorded": "kafka-4.3", "kafka-3.9": "kafka-3.9", "kafka-3.9-lag-exporter": "kafka-3.9-lag-exporter"}
# Clusters that deliver one source of a recording.
BROKER_ONLY = {"kafka-3.9-broker": "kafka-3.9", "kafka-4.3-broker": "kafka-4.3"}
CLIENTS_ONLY = {"kafka-3.9-clients": "kafka-3.9", "kafka-4.3-clients": "kafka-4.3"}
OFFSETS_ONLY = {"kafka-3.9-offsets": "kafka-3.9", "kafka-4.3-offsets": "kafka-4.3"}
WITH_BROKER_LOG = WHOLE | BROKER_ONLY

# Types of the fixtures `table_rows`, `rebalances` and `sessions`: rows by table and cluster, or by cluster.
TableRows = Callable[[str, str], list[Row]]
Rebalances = Callable[[str], dict[Generation, Row]]
Sessions = Callable[[str], list[Row]]


def whole_cluster(recording: str) -> str:
    """The cluster that delivers the whole recording."""
    return next(cluster for cluster, delivered in WHOLE.items() if delivered == recording)


def members_with_ending(sessions: list[Row], *endings: str) -> list[Member]:
    """The members whose sessions have one of these values of `ended_by`, once for each session."""
    return sorted((row.group_id, row.member_id) for row in sessions if row.ended_by in endings)
