"""Damages pieces of telemetry: log lines, records of dumps, tables, JSON documents."""

import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

_NUMBER = re.compile(rb"\d+")
_WORD = re.compile(rb"[A-Za-z][A-Za-z0-9_-]*")
_JSON_START = re.compile(rb'\{"')

NUMBERS = (
    *(b"0", b"-0", b"-1", b"-2", b"1.5", b"007", b"1e400", b"-1e400", b"NaN", b"Infinity", b"+1", b"0x1F", b"1_000"),
    *(str((1 << bits) + add).encode() for bits in (15, 16, 31, 32, 63, 64) for add in (-1, 0)),
    *(b"-2147483648", b"-2147483649", b"-9223372036854775808", b"-9223372036854775809", b"9" * 18, b"9" * 19),
    *(b"99999999999999999999999", b"253402300799999", b"253402300800000", b"-62135596800001", b"9" * 30),
    *("\u0663".encode(), "\u00b2".encode(), "\uff11\uff12".encode(), b"", b" ", b"null", b"true", b'"1"'),
)
TEXTS = (
    *(b"", b" ", b"null", b"None", b"-", b"\0", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\\ud800", b"\\udc00\\ud800"),
    *(
        "😀\u202e\u2028\x85".encode(),
        b"\x1b[31m",
        b"\v",
        b"\f",
        b"\x1c",
        b'"',
        b'\\"',
        b"\\",
        b"\\u0000",
        b"\n",
        b"\r\n",
        b"\r",
        b"\t",
    ),
    *(b"{", b"}", b"[", b"]", b"(", b")", b",", b":", b"=", b"'", b"<DELETE>", b" payload: ", b"::NULL", b"%00"),
    *(b"../..", b"NOT_A_NUMBER", b"{}", b"[]", b"Some(", b"member=Assignment(partitions=[", b"__consumer_offsets-1"),
)
JSON_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1.5, 1e300, float("nan"), float("inf"), 2**31, 2**63, 2**64, 10**23, -(2**31) - 1),
    *("", "x", "\ud800", "\0", "1", "consumer", [], {}, [None], [[]], [1, "2"], [-1], [2**31], {"a": 1}, [{}]),
    *({"topic": 5, "partitions": "0"}, [{"topic": "t", "partitions": None}], [{"topicId": "x", "partitions": {}}]),
)
# So much of the input is damaged by something huge: more would only make the run longer.
_HUGE = 0.002
_LONGEST_DIGITS = 60_001
_DEEPEST = 3_000

Mutation = Callable[[bytes, bytes, random.Random], bytes]


def mutate(piece: bytes, other: bytes, chance: random.Random) -> bytes:
    """Returns the piece with none to three of its parts damaged; `other` is a piece of the same kind to splice in."""
    for _ in range(chance.choice((0, 0, 1, 1, 1, 2, 3))):
        piece = chance.choice(_MUTATIONS)(piece, other, chance)
    return piece


def _replace_number(piece: bytes, other: bytes, chance: random.Random) -> bytes:
    del other
    return _replace_match(_NUMBER, piece, _huge_digits(chance) or chance.choice(NUMBERS), chance)


def _replace_word(piece: bytes, other: bytes, chance: random.Random) -> bytes:
    word = chance.choice(_WORD.findall(other) or [b""])
    return _replace_match(_WORD, piece, chance.choice((chance.choice(TEXTS), word)), chance)


def _insert(piece: bytes, other: bytes, chance: random.Random) -> bytes:
    del other
    at = chance.randrange(len(piece) + 1)
    inserted = _nested(chance) or chance.choice((*TEXTS, *NUMBERS, bytes([chance.randrange(256)])))
    return piece[:at] + inserted + piece[at + chance.choice((0, 0, 1, 3)) :]


def _remove(piece: bytes, other: bytes, chance: random.Random) -> bytes:
    del other
    start, end = _slice(piece, chance)
    return piece[:start] + piece[end:]


def _truncate(piece: bytes, other: bytes, chance: random.Random) -> bytes:
    del other
    return piece[: chance.randrange(len(piece) + 1)]


def _repeat(piece: bytes, other: bytes, chance: random.Random) -> bytes:
    del other
    start, end = _slice(piece, chance)
    times = chance.choice((2, 2, 3, 50)) if end - start < 200 else 2
    return piece[:start] + piece[start:end] * times + piece[end:]


def _splice(piece: bytes, other: bytes, chance: random.Random) -> bytes:
    start, end = _slice(other, chance)
    at = chance.randrange(len(piece) + 1)
    return piece[:at] + other[start:end] + piece[at:]


def _swap(piece: bytes, other: bytes, chance: random.Random) -> bytes:
    del other
    start, end = _slice(piece, chance)
    at = chance.randrange(start, end + 1)
    return piece[:start] + piece[at:end] + piece[start:at] + piece[end:]


def _change_json(piece: bytes, other: bytes, chance: random.Random) -> bytes:
    """Replaces, removes or doubles a value of one of the JSON objects in the piece."""
    starts = [match.start() for match in _JSON_START.finditer(piece)]
    if not starts:
        return _replace_number(piece, other, chance)
    start = chance.choice((starts[0], chance.choice(starts)))
    text = piece[start:].decode(errors="replace")
    try:
        document, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return _replace_word(piece, other, chance)
    *path, last = chance.choice([*_paths(document)] or [("",)])
    parent = document
    for key in path:
        parent = parent[key]
    way = chance.randrange(8)
    if way == 0 and isinstance(parent, dict):
        parent.pop(last, None)
    elif way == 1 and isinstance(parent, list):
        parent.append(parent[last])
    else:
        parent[last] = chance.choice(JSON_VALUES)
    changed = json.dumps(document, separators=(",", ":"), ensure_ascii=chance.random() < 0.5)
    if way == 2 and isinstance(last, str):
        changed = changed.replace(json.dumps(last) + ":", f"{json.dumps(last)}:7,{json.dumps(last)}:", 1)
    return piece[:start] + changed.encode(errors="surrogatepass") + text[end:].encode()


_MUTATIONS: tuple[Mutation, ...] = (
    *(_replace_number, _replace_number, _replace_number, _replace_word, _change_json, _change_json),
    *(_insert, _remove, _truncate, _repeat, _splice, _swap),
)


def _replace_match(pattern: "re.Pattern[bytes]", piece: bytes, text: bytes, chance: random.Random) -> bytes:
    matches = list(pattern.finditer(piece))
    if not matches:
        return piece + text
    # The first numbers of a line are mostly those of its time.
    match = chance.choice(chance.choice((matches, matches[len(matches) // 2 :])))
    return piece[: match.start()] + text + piece[match.end() :]


def _slice(piece: bytes, chance: random.Random) -> tuple[int, int]:
    start = chance.randrange(len(piece) + 1)
    return start, min(len(piece), start + chance.choice((1, 2, 8, 40, 300)))


def _huge_digits(chance: random.Random) -> bytes:
    return b"9" * chance.choice((4_300, 4_301, _LONGEST_DIGITS)) if chance.random() < _HUGE else b""


def _nested(chance: random.Random) -> bytes:
    if chance.random() >= _HUGE:
        return b""
    depth = chance.choice((100, 900, _DEEPEST))
    return chance.choice((b"[" * depth, b'{"a":' * depth, b"[" * depth + b"]" * depth))


def _paths(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    if isinstance(document, dict | list):
        for key in document if isinstance(document, dict) else range(len(document)):
            yield from _paths(document[key], (*path, key))
