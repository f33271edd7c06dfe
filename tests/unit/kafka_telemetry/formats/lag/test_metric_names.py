"""A site's own metric and label names."""

import pytest
from support.recorded_lag import read, told

from kafka_telemetry.formats.lag.metric_names import Meaning, MetricNames


def test_a_site_maps_its_own_metrics_and_labels() -> None:
    names = MetricNames(
        metrics={
            "acme_lag": Meaning("acme", "group_offset", "reported_lag", "clamped"),
            "acme_position": Meaning("acme", "group_offset", "committed_offset"),
        },
        labels={"group": ("app",), "partition": ("p",)},
    )
    text = 'acme_lag{app="g",topic="t",p="1"} 5\nacme_position{app="g",topic="t",p="1"} 50\n'
    rows, receipt = read(text, metric_names=names)
    assert told(rows, "reporter", "group_id", "partition_id", "committed_offset", "reported_lag", "lag_meaning") == [
        ("acme", "g", 1, 50, 5, "clamped")
    ]
    assert receipt.understood == 2
    assert read(text)[1].ignored == 2


def test_a_site_s_label_stands_before_the_known_one() -> None:
    names = MetricNames(labels={"group": ("real_group",)})
    text = 'kafka_consumergroup_lag{consumergroup="relabelled",real_group="g",topic="t",partition="0"} 5\n'
    assert told(read(text, metric_names=names)[0], "group_id") == [("g",)]


def test_names_that_can_mean_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="no label plays the role"):
        MetricNames(labels={"grupo": ("g",)})
    with pytest.raises(ValueError, match="can't mean"):
        MetricNames(metrics={"acme_lag": Meaning("acme", "group_offset", "lag")})
