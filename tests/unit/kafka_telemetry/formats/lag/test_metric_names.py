"""Metric and label names of a site."""

import pytest
from support.recorded_lag import read_lag, select

from kafka_telemetry.formats.lag.metric_names import MetricMeaning, MetricNames


def test_metrics_and_labels_of_a_site_are_read() -> None:
    names = MetricNames(
        metrics={
            "acme_lag": MetricMeaning("acme", "group_offset", "reported_lag", "clamped"),
            "acme_position": MetricMeaning("acme", "group_offset", "committed_offset"),
        },
        labels={"group": ("app",), "partition": ("p",)},
    )
    text = 'acme_lag{app="g",topic="t",p="1"} 5\nacme_position{app="g",topic="t",p="1"} 50\n'
    rows, receipt = read_lag(text, metric_names=names)
    assert select(rows, "reporter", "group_id", "partition_id", "committed_offset", "reported_lag", "lag_meaning") == [
        ("acme", "g", 1, 50, 5, "clamped")
    ]
    assert receipt.understood == 2
    assert read_lag(text)[1].ignored == 2


def test_a_label_of_the_site_takes_precedence_over_a_built_in_one() -> None:
    names = MetricNames(labels={"group": ("real_group",)})
    text = 'kafka_consumergroup_lag{consumergroup="relabelled",real_group="g",topic="t",partition="0"} 5\n'
    assert select(read_lag(text, metric_names=names)[0], "group_id") == [("g",)]


def test_unknown_roles_and_quantities_are_an_error() -> None:
    with pytest.raises(ValueError, match="no label has the role"):
        MetricNames(labels={"grupo": ("g",)})
    with pytest.raises(ValueError, match="can't mean"):
        MetricNames(metrics={"acme_lag": MetricMeaning("acme", "group_offset", "lag")})
