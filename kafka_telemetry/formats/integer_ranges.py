"""Whether integers that are printed as text fit the type of their column, however many digits they have."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Flags

LARGEST_INT32 = 2**31 - 1
LARGEST_INT64 = 2**63 - 1
# Numbers of so many characters fit their type, whatever their digits are.
_ALWAYS_FIT = {32: 9, 64: 18}
# Python refuses to parse thousands of digits. No 64-bit number has more than these.
_MOST_DIGITS = 19
_INTEGER = r"^-?[0-9]+$"


def parse_int32(text: str | None) -> int | None:
    """Returns null for a text that is no integer of 32 bits."""
    if text is None or not text.isascii() or not text.removeprefix("-").isdigit():
        return None
    return int(text) if fits(text, 32) else None


def fits(integer: str, bits: int) -> bool:
    """Whether an integer, given as its digits behind an optional minus sign, is a signed number of so many bits."""
    digits = integer.removeprefix("-").lstrip("0")
    if len(digits) > _MOST_DIGITS:
        return False
    number = int(digits or "0")
    return number < 1 << bits - 1 or (number == 1 << bits - 1 and integer.startswith("-"))


def integers_fit(texts: pa.StringArray, bits: int) -> Flags:
    """Marks texts that fit a column of so many bits, and all that are no integers or null."""
    long = np.flatnonzero(pc.fill_null(pc.greater(pc.binary_length(texts), _ALWAYS_FIT[bits]), False))
    out = np.ones(len(texts), np.bool_)
    if len(long):
        candidates = texts.take(pa.array(long))
        are_integers = pc.match_substring_regex(candidates, _INTEGER).to_pylist()
        numbers = zip(candidates.to_pylist(), are_integers, strict=True)
        out[long] = [not is_integer or fits(text, bits) for text, is_integer in numbers]
    return out
