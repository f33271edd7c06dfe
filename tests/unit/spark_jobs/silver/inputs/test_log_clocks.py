"""When the logs of an origin count as in another time zone."""

import pytest

from spark_jobs.silver.inputs.log_clocks import WrongClock, clocks_of_counts


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        # (cluster, origin, half-hours apart, generations)
        ([("eu", "b1", 2, 70)], [WrongClock("eu", "b1", 2)]),
        ([("eu", "b1", 0, 70)], []),
        ([], []),
        # A group that a job makes anew every hour has the same generation at every hour.
        ([("eu", "b1", 0, 1), ("eu", "b1", -2, 1), ("eu", "b1", -4, 1)], []),
        ([("eu", "b1", 2, 1), ("eu", "b1", 0, 60)], []),
        ([("eu", "b1", 11, 60), ("eu", "b1", 0, 1)], [WrongClock("eu", "b1", 11)]),
        # Each origin has a clock of its own.
        ([("eu", "b1", 0, 9), ("eu", "b2", 2, 9), ("us", "b1", -10, 9)], [WrongClock("eu", "b2", 2), WrongClock("us", "b1", -10)]),
    ],
)  # fmt: skip
def test_logs_whose_generations_are_apart_by_one_time_have_a_wrong_clock(
    counts: list[tuple[str, str, int, int]], expected: list[WrongClock]
) -> None:
    assert clocks_of_counts(counts) == expected


@pytest.mark.parametrize(
    ("half_hours", "text"), [(2, "1 hour ahead of"), (-4, "2 hours behind"), (11, "330 minutes ahead of")]
)
def test_the_difference_is_said_in_words(half_hours: int, text: str) -> None:
    assert WrongClock("eu", "b1", half_hours).difference == text
