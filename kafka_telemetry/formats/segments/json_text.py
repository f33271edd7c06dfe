"""Writes JSON as Jackson does into a byte buffer. Each function returns the position after what it wrote.

Callers make sure that there is room: a string takes at most six times its bytes and two quotes, a number 20.
"""

import numpy as np

from kafka_telemetry.formats.compiled import UInt8Array, as_long, compiled
from kafka_telemetry.formats.raw_memory import eight_bytes_at, put_eight_bytes

_BASE64 = np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", np.uint8)
_URL_SAFE_BASE64 = np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", np.uint8)
_ONES = 0x0101010101010101
_HIGH_BITS = -0x7F7F7F7F7F7F7F80
_HEX = np.frombuffer(b"0123456789ABCDEF", np.uint8)
# The letter after the backslash; 0: not escaped, u: written as a code.
_ESCAPE = np.zeros(256, np.uint8)
_ESCAPE[:32] = ord("u")
for _code, _letter in zip(b'\b\t\n\f\r"\\', b'btnfr"\\', strict=True):
    _ESCAPE[_code] = _letter


@compiled
def copy_bytes(source: UInt8Array, start: int, length: int, out: UInt8Array, at: int) -> int:
    """Copies eight bytes at a time, so up to seven bytes more than `length`."""
    for i in range(0, length, 8):
        put_eight_bytes(out, at + i, eight_bytes_at(source, start + i))
    return at + length


@compiled
def write_integer(value: int, out: UInt8Array, at: int) -> int:
    if value < 0:
        out[at] = 45
        at += 1
        if value == -9223372036854775808:
            # Its absolute value is no int64.
            out[at] = 57
            at += 1
            value = 223372036854775808
        else:
            value = -value
    digits = 1
    power = 10
    while digits < 19 and value >= power:
        digits += 1
        power *= 10
    for i in range(digits):
        out[at + digits - 1 - i] = 48 + value % 10
        value //= 10
    return at + digits


@compiled
def is_utf8(source: UInt8Array, start: int, end: int) -> bool:
    """Checks as strictly as Java and Arrow: no overlong forms, no surrogates, nothing above U+10FFFF."""
    i = start
    while end - i >= 8 and eight_bytes_at(source, i) & _HIGH_BITS == 0:
        i += 8
    if i == end or (end - i < 8 and eight_bytes_at(source, i) << 8 * (8 - end + i) & _HIGH_BITS == 0):
        return True
    while i < end:
        lead = as_long(source[i])
        if lead < 0x80:
            i += 1
            continue
        low = 0x80
        high = 0xBF
        if lead < 0xC2 or lead > 0xF4:
            return False
        if lead < 0xE0:
            more = 1
        elif lead < 0xF0:
            more = 2
            if lead == 0xE0:
                low = 0xA0
            elif lead == 0xED:
                high = 0x9F
        else:
            more = 3
            if lead == 0xF0:
                low = 0x90
            elif lead == 0xF4:
                high = 0x8F
        if i + more >= end:
            return False
        second = as_long(source[i + 1])
        if second < low or second > high:
            return False
        for k in range(2, more + 1):
            if as_long(source[i + k]) & 0xC0 != 0x80:
                return False
        i += more + 1
    return True


@compiled
def _has_escape(eight: int) -> bool:
    """Whether one of eight bytes may be a control character, quote or backslash, so that each has to be checked."""
    quote = eight ^ 0x22 * _ONES
    backslash = eight ^ 0x5C * _ONES
    below = eight - 0x20 * _ONES & ~eight
    return (below | (quote - _ONES & ~quote) | (backslash - _ONES & ~backslash)) & _HIGH_BITS != 0


@compiled
def write_string(source: UInt8Array, start: int, length: int, out: UInt8Array, at: int) -> int:
    out[at] = 34
    at += 1
    i = start
    end = start + length
    while i < end:
        if end - i >= 8:
            eight = eight_bytes_at(source, i)
            if not _has_escape(eight):
                put_eight_bytes(out, at, eight)
                at += 8
                i += 8
                continue
        byte = source[i]
        i += 1
        escape = _ESCAPE[byte]
        if escape == 0:
            out[at] = byte
            at += 1
            continue
        out[at] = 92
        out[at + 1] = escape
        at += 2
        if escape == 117:
            out[at] = 48
            out[at + 1] = 48
            out[at + 2] = _HEX[byte >> 4]
            out[at + 3] = _HEX[byte & 15]
            at += 4
    out[at] = 34
    return at + 1


@compiled
def write_base64(source: UInt8Array, start: int, length: int, out: UInt8Array, at: int) -> int:
    """Writes base64 in quotes, with padding."""
    out[at] = 34
    at = _write_base64_digits(source, start, length, _BASE64, out, at + 1)
    for _ in range((3 - length % 3) % 3):
        out[at] = 61
        at += 1
    out[at] = 34
    return at + 1


@compiled
def write_uuid(source: UInt8Array, start: int, out: UInt8Array, at: int) -> int:
    """Writes 22 characters of URL-safe base64, without quotes or padding."""
    return _write_base64_digits(source, start, 16, _URL_SAFE_BASE64, out, at)


@compiled
def _write_base64_digits(
    source: UInt8Array, start: int, length: int, letters: UInt8Array, out: UInt8Array, at: int
) -> int:
    whole = length // 3
    for k in range(whole):
        i = start + 3 * k
        three = as_long(source[i]) << 16 | as_long(source[i + 1]) << 8 | as_long(source[i + 2])
        out[at] = letters[three >> 18]
        out[at + 1] = letters[three >> 12 & 63]
        out[at + 2] = letters[three >> 6 & 63]
        out[at + 3] = letters[three & 63]
        at += 4
    rest = length - 3 * whole
    i = start + 3 * whole
    if rest == 1:
        one = as_long(source[i])
        out[at] = letters[one >> 2]
        out[at + 1] = letters[one << 4 & 63]
        at += 2
    elif rest == 2:
        two = as_long(source[i]) << 8 | as_long(source[i + 1])
        out[at] = letters[two >> 10]
        out[at + 1] = letters[two >> 4 & 63]
        out[at + 2] = letters[two << 2 & 63]
        at += 3
    return at
