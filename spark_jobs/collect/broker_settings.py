"""What Lagoon has to know about the brokers' settings, as the lines of `lagoon.toml` that say it."""

import json
import re

from kafka.errors import for_code
from kafka.protocol.admin import DescribeConfigsRequest

from spark_jobs.cluster_settings import Cluster
from spark_jobs.collect.cluster_client import ClusterClient

_RETENTION = "offsets.retention.minutes"
_BROKER = 4
_NOT_ALLOWED = (29, 31)


def read_retention(client: ClusterClient) -> int | str:
    """The minutes, or a sentence that says why they can't be read."""
    node = min(client.brokers)
    resource = DescribeConfigsRequest.DescribeConfigsResource(
        resource_type=_BROKER, resource_name=str(node), configuration_keys=[_RETENTION]
    )
    answer = client.send(node, DescribeConfigsRequest(resources=[resource], max_version=3))
    for result in answer.results:
        if result.error_code in _NOT_ALLOWED:
            return f"{_RETENTION} may not be read: allow DESCRIBE_CONFIGS on the cluster"
        if result.error_code:
            return f"{_RETENTION} can't be read ({for_code(result.error_code).__name__})"
        for config in result.configs:
            if config.name == _RETENTION and (config.value or "").isdigit():
                return int(config.value)
    return f"the brokers do not say {_RETENTION}"


def settings_lines(name: str, cluster: Cluster, partitions: int | None, retention: int | None) -> list[str]:
    """The lines that are missing in the settings of the cluster, or differ from them; without any, nothing."""
    lines = []
    if partitions is not None and cluster.offsets_partitions != partitions:
        lines.append(f"offsets_partitions = {partitions}")
    if retention is not None and cluster.offsets_retention_minutes != retention:
        lines.append(f"offsets_retention_minutes = {retention}")
    key = name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)
    return [f"[clusters.{key}]", *lines] if lines else []
