"""What the brokers say is printed as lines of lagoon.toml, where it says something else."""

import tomllib

from spark_jobs.cluster_settings import Cluster
from spark_jobs.collect.broker_settings import settings_lines


def test_lines_that_are_missing_or_differ_are_printed() -> None:
    assert settings_lines("eu", Cluster(), 50, 1440) == [
        "[clusters.eu]",
        "offsets_partitions = 50",
        "offsets_retention_minutes = 1440",
    ]
    assert settings_lines("eu", Cluster(offsets_partitions=50), 50, 1440) == [
        "[clusters.eu]",
        "offsets_retention_minutes = 1440",
    ]


def test_nothing_is_printed_where_the_settings_are_right_or_the_brokers_say_nothing() -> None:
    assert settings_lines("eu", Cluster(offsets_partitions=50), 50, 10080) == []
    assert settings_lines("eu", Cluster(), None, None) == []


def test_any_name_of_a_cluster_can_be_pasted() -> None:
    for name in ("payments-eu", "a b", 'o"brien', "zürich.1"):
        document = tomllib.loads("\n".join(settings_lines(name, Cluster(), 3, None)))
        assert document == {"clusters": {name: {"offsets_partitions": 3}}}
