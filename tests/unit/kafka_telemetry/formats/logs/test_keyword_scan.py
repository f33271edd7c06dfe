"""Which entries contain a keyword, beside a plain search."""

import random

import numpy as np
import pytest

from kafka_telemetry.formats.logs.keyword_scan import KEYWORDS, has_keyword
from kafka_telemetry.formats.text_bytes import PADDING


def scan(entries: list[bytes]) -> list[bool]:
    text = b"".join(entries)
    starts = np.cumsum([0, *(len(entry) for entry in entries[:-1])])
    return has_keyword(np.frombuffer(text + PADDING, np.uint8), len(text), starts).tolist()


def filler(chance: random.Random, size: int) -> bytes:
    """Random text of the letters that keywords consist of."""
    return "".join(chance.choice("oorCnsSetpMcGyA# =") for _ in range(size)).encode()


@pytest.mark.parametrize("keyword", KEYWORDS)
def test_an_entry_with_a_keyword_is_found_wherever_the_keyword_is(keyword: str) -> None:
    for offset in range(600):
        entries = [b"first\n", b"-" * offset + keyword.encode() + b"\n", b"last\n"]
        assert scan(entries) == [False, True, False]


def test_entries_are_found_as_by_a_plain_search() -> None:
    chance = random.Random(11)
    entries = []
    for _ in range(3000):
        keyword = chance.choice([*KEYWORDS]).encode()
        cut = keyword if chance.random() < 0.3 else keyword[: chance.randrange(len(keyword))]
        entries.append(filler(chance, chance.choice((0, 3, 50, 400))) + cut + filler(chance, 5) + b"\n")
    expected = [any(keyword.encode() in entry for keyword in KEYWORDS) for entry in entries]
    assert 100 < sum(expected) < 2900
    assert scan(entries) == expected


def test_lines_of_librdkafka_are_found_by_their_beginning() -> None:
    assert scan([b"%4|1795001110.034|MAXPOLL|a|\n", b"%4 no\n", b"x%4|\n"]) == [True, False, False]


def test_a_text_without_entries_has_none() -> None:
    assert (
        has_keyword(np.frombuffer(b"Consumer clientId=" + PADDING, np.uint8), 18, np.empty(0, np.int64)).tolist() == []
    )
