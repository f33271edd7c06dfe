"""Whether integers that are printed as text fit the type of their column, however many digits they have."""

import re

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
_PATTERN = "-?[0-9]+"
_INTEGER = re.compile(_PATTERN)


def parse_integer(text: str | None, bits: int) -> int | None:
    """Returns null for a text that is no signed integer of so many bits."""
    if text is None or not _INTEGER.fullmatch(text):
        return None
    digits = text.removeprefix("-").lstrip("0")
    if len(digits) > _MOST_DIGITS:
        return None
    number = int(digits or "0") * (-1 if text[0] == "-" else 1)
    return number if -(1 << bits - 1) <= number < 1 << bits - 1 else None


def integers_fit(texts: pa.StringArray, bits: int) -> Flags:
    """Marks texts that fit a column of so many bits, and all that are no integers or null."""
    out = np.ones(len(texts), np.bool_)
    long = np.flatnonzero(pc.fill_null(pc.greater(pc.binary_length(texts), _ALWAYS_FIT[bits]), False))
    if len(long):
        candidates = texts.take(pa.array(long))
        are_integers = pc.match_substring_regex(candidates, f"^{_PATTERN}$").to_pylist()
        numbers = zip(candidates.to_pylist(), are_integers, strict=True)
        out[long] = [not is_integer or parse_integer(text, bits) is not None for text, is_integer in numbers]
    return out
