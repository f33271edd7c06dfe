"""Integers in text: which fit 32 and 64 bits."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_telemetry.formats.integer_ranges import integers_fit, parse_integer


@given(st.integers(-(1 << 70), 1 << 70) | st.integers(-10, 10).map(lambda n: (1 << 31) + n), st.integers(0, 30))
def test_an_integer_fits_if_its_type_holds_it(number: int, zeros: int) -> None:
    text = f"{'-' if number < 0 else ''}{'0' * zeros}{abs(number)}"
    for bits in (32, 64):
        fits = -(1 << bits - 1) <= number < 1 << bits - 1
        assert parse_integer(text, bits) == (number if fits else None)
        assert integers_fit(pa.array([text, "7", None]), bits).tolist() == [fits, True, True]


@pytest.mark.parametrize("text", [None, "", "-", "x", "+1", "1.5", "1e9", " 1", "1 ", "1\n", "1_0", "0x1", "²", "٣"])
def test_a_text_that_is_no_integer_is_null(text: str | None) -> None:
    assert parse_integer(text, 64) is None


@pytest.mark.parametrize(("text", "fits"), [("9" * 60_001, False), ("0" * 60_001, True), ("-" + "0" * 60_001, True)])
def test_tens_of_thousands_of_digits_are_parsed(text: str, fits: bool) -> None:
    assert parse_integer(text, 32) == (0 if fits else None)
    assert integers_fit(pa.array([text]), 32).tolist() == [fits]


def test_a_long_text_that_is_no_integer_is_not_judged() -> None:
    assert integers_fit(pa.array(["OptionalInt[999999999999]", "not provided at all"]), 32).tolist() == [True, True]
