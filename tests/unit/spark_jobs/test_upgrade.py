"""What a run says before it builds again what another version built, and how long it expects that to take."""

import datetime as dt

import pytest

from spark_jobs.lake.ledger import Entry
from spark_jobs.upgrade import StaleByVersion, in_words, seconds_of

START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


def built(begin: int, end: int) -> Entry:
    """An entry whose slice was built from one second to another."""
    times = (START + dt.timedelta(seconds=begin), START + dt.timedelta(seconds=end))
    return Entry("eu", "silver", dt.date(2026, 1, 1), "silver.positions", *times)


@pytest.mark.parametrize(
    ("entries", "seconds"),
    [
        ([], 0),
        ([built(0, 10)], 10),
        ([built(0, 10), built(100, 110)], 20),
        # Seven days that were built at once, and two deliveries that were read side by side.
        ([built(0, 10)] * 7, 10),
        ([built(5, 15), built(0, 10), built(2, 3)], 15),
    ],
)
def test_what_was_built_side_by_side_counts_once(entries: list[Entry], seconds: int) -> None:
    assert seconds_of(entries) == seconds


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.1, "1 s"), (29, "29 s"), (31, "1 min"), (3_540, "59 min"), (7_500, "2 h 5 min")]
)
def test_times_in_words(seconds: float, words: str) -> None:
    assert in_words(seconds) == words


def test_the_sentence_says_how_much_and_what_stays() -> None:
    stale = StaleByVersion((built(0, 60),), (built(60, 120), built(60, 120)), (), 2)
    assert stale
    assert stale.sentence() == (
        "Built by another version of Lagoon, and built again: 1 delivery of bronze, 2 days of silver. Building them took 2 min; "
        "expect about that. 2 deliveries of bronze that landing no longer has stay as they were read."
    )
    assert not StaleByVersion((), (), (), 2)
