"""Which event days are stale."""

import datetime as dt
from dataclasses import replace

import pytest

from spark_jobs.errors import UserError
from spark_jobs.lake.kept_days import ClosedDays
from spark_jobs.lake.ledger import Entry
from spark_jobs.silver.inputs.bronze_contents import BronzeContents, DeliveredRows
from spark_jobs.silver.inputs.slices import Slices
from spark_jobs.silver.pipeline.build_version import BUILD_VERSION
from spark_jobs.silver.pipeline.plan import (
    DAY_ENTRY,
    STARTED_ENTRY,
    days_of_other_settings,
    days_of_other_versions,
    inputs_fingerprint,
    next_to_build,
    start_days,
)

A, B, C, D = (dt.date(2026, 1, day) for day in (1, 2, 3, 4))
NOW = dt.datetime(2026, 1, 5, tzinfo=dt.UTC)


def contents(*days: dt.date, files: int = 1) -> BronzeContents:
    return BronzeContents({("eu", day): [DeliveredRows("commit", day, files, 10)] for day in days})


def built(bronze: BronzeContents, *days: dt.date) -> dict[tuple[str, dt.date, str], Entry]:
    """The ledger after these days were built one after the other; each leaves a state named after it."""
    silver, start = {}, None
    for day in days:
        fingerprint = inputs_fingerprint(bronze, "eu", day, start)
        start = day.day
        silver["eu", day, DAY_ENTRY] = Entry(
            "eu", "silver", day, DAY_ENTRY, NOW, NOW, inputs=fingerprint, result=start, build_version=BUILD_VERSION
        )
    return silver


def test_days_that_were_never_built_are_built_together() -> None:
    assert next_to_build(contents(A, B, C), {}, set(), set(), {}).days == {"eu": [A, B, C]}


def test_a_day_built_from_the_same_inputs_is_not_rebuilt() -> None:
    bronze = contents(A, B, C)
    assert next_to_build(bronze, built(bronze, A, B, C), set(), set(), {}).days == {}


def test_a_late_file_has_its_day_rebuilt_and_no_other() -> None:
    before = contents(A, B, C)
    late = BronzeContents({**before.by_day, ("eu", B): [DeliveredRows("commit", B, 2, 11)]})
    assert next_to_build(late, built(before, A, B, C), set(), set(), {}).days == {"eu": [B]}


def test_a_day_is_rebuilt_when_the_state_that_it_starts_from_changed() -> None:
    bronze = contents(A, B, C)
    silver = built(bronze, A, B, C)
    silver["eu", A, DAY_ENTRY] = replace(silver["eu", A, DAY_ENTRY], result=99)
    assert next_to_build(bronze, silver, set(), set(), {}).days == {"eu": [B]}


def test_a_new_day_between_two_has_the_later_one_rebuilt() -> None:
    bronze = contents(A, C)
    assert next_to_build(contents(A, B, C), built(bronze, A, C), set(), set(), {}).days == {"eu": [B, C]}


def test_a_day_without_rows_any_more_is_rebuilt_as_empty() -> None:
    bronze = contents(A, B)
    assert next_to_build(contents(A), built(bronze, A, B), set(), set(), {}).days == {"eu": [B]}


def test_log_ends_of_the_day_before_are_inputs_of_a_day() -> None:
    before = contents(B)
    late = BronzeContents({**before.by_day, ("eu", A): [DeliveredRows("log_offset", A, 5, 3)]})
    assert next_to_build(late, built(before, B), set(), set(), {}).days == {"eu": [A, B]}


def test_forced_days_are_rebuilt_and_frozen_days_are_not() -> None:
    bronze = contents(A, B, C)
    silver = built(bronze, A, B, C)
    assert next_to_build(bronze, silver, {("eu", C)}, set(), {}).days == {"eu": [C]}
    assert next_to_build(bronze, silver, {("eu", C)}, {("eu", C)}, {}).days == {}


def test_at_most_seven_days_are_built_at_once() -> None:
    many = [A + dt.timedelta(number) for number in range(10)]
    assert next_to_build(contents(*many), {}, set(), set(), {}).days == {"eu": many[:7]}


def test_days_that_another_version_built_are_stale_and_named() -> None:
    bronze = contents(A, B)
    silver = built(bronze, A, B)
    silver["eu", B, DAY_ENTRY] = replace(silver["eu", B, DAY_ENTRY], build_version=BUILD_VERSION - 1)
    slices = next_to_build(bronze, silver, set(), set(), {})
    assert slices.days == {"eu": [B]}
    assert days_of_other_versions(silver, slices) == [B]
    assert days_of_other_versions(silver, next_to_build(bronze, silver, {("eu", A)}, {("eu", B)}, {})) == []


def test_days_start_from_the_state_of_the_day_before_which_must_be_of_this_version() -> None:
    bronze = contents(A, B)
    silver = built(bronze, A)
    slices = next_to_build(bronze, silver, set(), set(), {})
    assert start_days(silver, slices) == {"eu": A}
    silver["eu", A, DAY_ENTRY] = replace(silver["eu", A, DAY_ENTRY], build_version=BUILD_VERSION - 1)
    frozen = next_to_build(bronze, silver, set(), {("eu", A)}, {})
    assert frozen.days == {"eu": [B]}
    with pytest.raises(UserError, match="2026-01-01 for eu was written by another version"):
        start_days(silver, frozen)


def started(day: dt.date, after: dt.timedelta) -> Entry:
    return Entry("eu", "silver", day, STARTED_ENTRY, NOW, NOW + after, outcome="started")


def test_a_day_that_a_run_began_and_did_not_finish_is_rebuilt_even_if_nothing_has_rows_of_it_any_more() -> None:
    bronze = contents(A)
    silver = built(bronze, A)
    silver["eu", B, STARTED_ENTRY] = started(B, dt.timedelta(0))
    slices = next_to_build(bronze, silver, set(), set(), {})
    assert slices.days == {"eu": [B]}
    assert days_of_other_versions(silver, slices) == []
    assert start_days(silver, slices) == {"eu": A}


def test_a_day_that_was_built_is_rebuilt_if_a_later_run_began_it_and_did_not_finish() -> None:
    bronze = contents(A)
    silver = built(bronze, A)
    silver["eu", A, STARTED_ENTRY] = started(A, -dt.timedelta(seconds=1))
    assert next_to_build(bronze, silver, set(), set(), {}).days == {}
    silver["eu", A, STARTED_ENTRY] = started(A, dt.timedelta(seconds=1))
    assert next_to_build(bronze, silver, set(), set(), {}).days == {"eu": [A]}


def test_days_built_with_other_settings_are_stale_and_named() -> None:
    bronze = contents(A, B)
    silver = built(bronze, A, B)
    slices = next_to_build(bronze, silver, set(), set(), {"eu": 7})
    assert slices.days == {"eu": [A, B]}
    assert days_of_other_settings(silver, slices, {"eu": 7}) == [A, B]
    assert days_of_other_settings(silver, slices, {"other": 7}) == []


def test_a_closed_day_is_never_built_whatever_changed_and_the_next_day_starts_from_its_state() -> None:
    before, late = contents(A, B, C), contents(A, B, C, files=2)
    closed = ClosedDays(before=C)

    assert next_to_build(late, built(before, A, B, C), {("eu", A)}, set(), {}, closed).days == {"eu": [C]}
    assert next_to_build(before, {}, set(), set(), {}, closed).days == {"eu": [C]}
    assert start_days(built(before, A, B), Slices({"eu": [C]}), closed) == {"eu": B}


def test_after_a_closed_day_of_another_version_the_next_day_starts_from_nothing() -> None:
    bronze = contents(A, B)
    silver = built(bronze, A)
    silver["eu", A, DAY_ENTRY] = replace(silver["eu", A, DAY_ENTRY], build_version=BUILD_VERSION - 1)
    closed = ClosedDays(pairs=frozenset({("eu", A)}))

    slices = next_to_build(bronze, silver, set(), set(), {}, closed)

    assert slices.days == {"eu": [B]}
    assert start_days(silver, slices, closed) == {}
    after = {**silver, **{key: e for key, e in built(bronze, B).items() if key[1] == B}}
    assert next_to_build(bronze, after, set(), set(), {}, closed).days == {}
