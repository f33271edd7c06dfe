"""Which days are never built again after upkeep deleted days."""

import datetime as dt

from spark_jobs.lake.kept_days import ClosedDays, KeptDays, closed_to_silver, days_closed_to_gold, kept_days
from spark_jobs.lake.ledger import Entry, EventRows

A, B, C, D = (dt.date(2026, 1, day) for day in (1, 2, 3, 4))
NOW = dt.datetime(2026, 1, 5, tzinfo=dt.UTC)


def delivery(day: dt.date, *rows: tuple[dt.date, str]) -> dict[tuple[str, dt.date, str], Entry]:
    event_rows = [EventRows(of, kind, 1, 1) for of, kind in rows]
    return {("eu", day, "t"): Entry("eu", "bronze", day, "t", NOW, NOW, event_rows=event_rows)}


def test_a_deleted_delivery_closes_the_days_that_it_had_rows_of_and_days_that_read_them() -> None:
    bronze = delivery(B, (A, "commit"), (B, "log_offset")) | delivery(D, (C, "commit"), (D, "commit"))

    closed = closed_to_silver(KeptDays({"bronze": C}), bronze, ["log_offset"])

    assert [("eu", day) in closed for day in (A, B, C, D)] == [True, True, True, False]
    assert ("us", A) not in closed


def test_silver_is_not_built_before_its_first_day() -> None:
    closed = closed_to_silver(KeptDays({"silver": B}), {}, [])

    assert [("eu", day) in closed for day in (A, B)] == [True, False]


def test_gold_needs_the_28_days_before_it_and_closes_a_day_for_all_clusters() -> None:
    first = dt.date(2026, 3, 1)
    days = [first + dt.timedelta(number) for number in (27, 28)]
    pairs = [(cluster, day) for cluster in ("eu", "us") for day in days]

    for layer in ("silver", "gold"):
        assert days_closed_to_gold(KeptDays({layer: first}), ClosedDays(), pairs) == {days[0]}
    assert days_closed_to_gold(KeptDays(), ClosedDays(pairs=frozenset({("us", days[1])})), pairs) == {days[1]}
    assert days_closed_to_gold(KeptDays(), ClosedDays(), pairs) == frozenset()


def test_what_was_given_up_stays_given_up() -> None:
    entries = [Entry("", "upkeep", day, "bronze", NOW, NOW) for day in (C, B)]

    assert kept_days(entries) == KeptDays({"bronze": C})
