"""Lines of a metric, read one by one and as a column."""

from collections import defaultdict

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.recorded_lag import recorded_files

from kafka_telemetry.formats.lag.exposition_lines import MetricLines, read_each_line, read_metric_lines
from kafka_telemetry.formats.lag.exposition_lines_fast import read_lines_fast
from kafka_telemetry.formats.lag.metric_names import DEFAULT_NAMES, MetricMeaning
from kafka_telemetry.formats.lag.metric_samples import Samples

LAG = "kafka_consumergroup_lag"


def clock(time: str | None) -> int:
    return 0 if time is None else int(time)


def rows(samples: list[Samples]) -> list[tuple[int, MetricMeaning, dict[str, str], int, str]]:
    """Line number, meaning, labels, time and value of each sample, in the order of the lines."""
    return sorted(
        (number, metric.meaning, labels(metric.labels, series), time, repr(value))
        for metric in samples
        for number, series, time, value in zip(
            metric.positions.tolist(),
            metric.series.tolist(),
            metric.times.tolist(),
            metric.values.tolist(),
            strict=True,
        )
    )


def labels(columns: dict[str, pa.Array], series: int) -> dict[str, str]:
    return {role: column[series].as_py() for role, column in columns.items()}


def read_one_by_one(metric: str, lines: list[bytes]) -> MetricLines:
    return read_each_line(metric, list(enumerate((line.decode() for line in lines), 1)), DEFAULT_NAMES, clock)


def assert_fast_equals_one_by_one(metric: str, lines: list[bytes]) -> int:
    """Compares both ways of reading, and counts the lines that were read as a column."""
    fast, others = read_lines_fast(metric, lines, 1, DEFAULT_NAMES, clock)
    fast_rows = rows(fast)
    expected = rows(read_one_by_one(metric, lines).samples)
    assert [row for row in expected if row[0] - 1 not in set(others)] == fast_rows
    assert sorted({row[0] - 1 for row in fast_rows} | set(others)) == list(range(len(lines)))
    return len(fast_rows)


def test_recorded_lines_are_the_same_read_as_a_column_and_one_by_one() -> None:
    fast = 0
    for _, content in recorded_files("*/metrics/*/*"):
        by_metric: dict[str, list[bytes]] = defaultdict(list)
        for line in content.splitlines():
            if line and not line.startswith(b"#"):
                by_metric[line.partition(b"{")[0].decode()].append(line)
        for metric, lines in by_metric.items():
            if DEFAULT_NAMES.meaning(metric):
                fast += assert_fast_equals_one_by_one(metric, lines)
    assert fast > 15_000


LABELS = st.sampled_from(
    [
        'consumergroup="g",topic="t",partition="1"',
        'consumergroup="h",topic="a.b",partition="22",',
        'topic="t",consumergroup="g",partition="1"',
        'consumergroup="g",topic="t",partition="1",zone="z"',
        'consumergroup="g",topic="t",partition="x"',
        'consumergroup="",topic="t",partition="1"',
        'consumergroup="g\\"h",topic="t",partition="1"',
        'consumergroup="a\\\\b",topic="t",partition="1"',
        'consumergroup="}= ,",topic="t",partition="1"',
        'consumergroup = "g", topic="t",partition="1"',
        'topic="t"',
    ]
)
ENDS = st.sampled_from(
    ["} 1", "}2", "} NaN", "} 1.5e+03", "} 7 1769860800123", "} -1 5", "} five", "} 1 2 3", "}", "}  8"]
)
LINES = st.builds(lambda labels, end: f"{LAG}{{{labels}{end}".encode(), LABELS, ENDS)


@settings(max_examples=300, deadline=None)
@given(st.lists(LINES, min_size=1, max_size=12))
def test_lines_of_any_form_are_the_same_read_as_a_column_and_one_by_one(lines: list[bytes]) -> None:
    assert_fast_equals_one_by_one(LAG, lines)


@pytest.mark.parametrize("count", [3, 200])
def test_the_way_of_reading_does_not_change_the_result(count: int) -> None:
    lines = [f'{LAG}{{consumergroup="g",topic="t",partition="{number}"}} {number}'.encode() for number in range(count)]
    lines[1] = f'{LAG}{{topic="t",consumergroup="g\\n",partition="1"}} 1'.encode()
    lines[2] = f"{LAG} five".encode()
    result, expected = read_metric_lines(LAG, lines, 1, DEFAULT_NAMES, clock), read_one_by_one(LAG, lines)
    assert rows(result.samples) == rows(expected.samples)
    assert len(rows(result.samples)) == count - 1
    assert (result.not_understood, result.ignored) == (expected.not_understood, 0) == ([(3, f"{LAG} five")], 0)
