import datetime as dt

from spark_jobs.lake.ledger import Entry
from spark_jobs.silver.pipeline.plan import STATE, Inputs, Teller, made_from, next_to_make

A, B, C, D = (dt.date(2026, 1, day) for day in (1, 2, 3, 4))
NOW = dt.datetime(2026, 1, 5, tzinfo=dt.UTC)


def inputs(*days: dt.date, files: int = 1) -> Inputs:
    return Inputs({("eu", day): [Teller("commit", day, files, 10)] for day in days})


def made(of: Inputs, *days: dt.date) -> dict[tuple[str, dt.date, str], Entry]:
    """The ledger after these days were made one after the other; each leaves a state named after it."""
    silver, start = {}, None
    for day in days:
        entry = Entry("eu", "silver", day, STATE, NOW, NOW, made_from=made_from(of, "eu", day, start), leaves=day.day)
        silver["eu", day, STATE] = entry
        start = entry.leaves
    return silver


def test_days_that_were_never_made_are_made_in_a_row() -> None:
    assert next_to_make(inputs(A, B, C), {}, set(), set()).days == {"eu": [A, B, C]}


def test_a_day_made_from_what_there_is_stays() -> None:
    of = inputs(A, B, C)
    assert next_to_make(of, made(of, A, B, C), set(), set()).days == {}


def test_a_late_file_makes_its_day_again_and_no_other() -> None:
    before = inputs(A, B, C)
    late = Inputs({**before.told, ("eu", B): [Teller("commit", B, 2, 11)]})
    assert next_to_make(late, made(before, A, B, C), set(), set()).days == {"eu": [B]}


def test_a_day_is_made_again_when_the_state_it_starts_from_changed() -> None:
    of = inputs(A, B, C)
    silver = made(of, A, B, C)
    first = silver["eu", A, STATE]
    silver["eu", A, STATE] = Entry(**{**first.__dict__, "leaves": 99})
    assert next_to_make(of, silver, set(), set()).days == {"eu": [B]}


def test_a_day_put_between_two_that_stand_makes_the_later_one_again() -> None:
    of = inputs(A, C)
    assert next_to_make(inputs(A, B, C), made(of, A, C), set(), set()).days == {"eu": [B, C]}


def test_a_day_of_which_nothing_tells_any_more_is_made_again_as_empty() -> None:
    of = inputs(A, B)
    assert next_to_make(inputs(A), made(of, A, B), set(), set()).days == {"eu": [B]}


def test_log_ends_of_the_day_before_are_inputs_of_a_day() -> None:
    before = inputs(B)
    late = Inputs({**before.told, ("eu", A): [Teller("log_offset", A, 5, 3)]})
    assert next_to_make(late, made(before, B), set(), set()).days == {"eu": [A, B]}


def test_forced_days_are_made_and_frozen_ones_are_not() -> None:
    of = inputs(A, B, C)
    silver = made(of, A, B, C)
    assert next_to_make(of, silver, {("eu", C)}, set()).days == {"eu": [C]}
    assert next_to_make(of, silver, {("eu", C)}, {("eu", C)}).days == {}


def test_seven_days_are_made_at_once_at_most() -> None:
    many = [A + dt.timedelta(number) for number in range(10)]
    assert next_to_make(inputs(*many), {}, set(), set()).days == {"eu": many[:7]}
