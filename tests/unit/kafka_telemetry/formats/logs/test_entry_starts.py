"""Where the entries of a log begin, beside the same search by a regular expression."""

import random
import re

import numpy as np
import pytest

from kafka_telemetry.formats.logs.entry_starts import find_entry_starts, parse_line_start
from kafka_telemetry.formats.logs.log_layouts import LAYOUTS, LIBRDKAFKA_LAYOUT
from kafka_telemetry.formats.text_bytes import PADDING

LINE_STARTS = sorted({layout.line_start for layout in LAYOUTS if layout.line_start})
CLASSES = {"9": b"[0-9]", "A": b"[A-Z]", "?": b"(?s:.)"}
EXAMPLES = {"9": "0123456789", "A": "AMZ", "?": "T 0x"}


def pattern_of(line_start: str) -> bytes:
    return b"".join(CLASSES.get(character, re.escape(character.encode())) for character in line_start)


def random_text(line_start: str, chance: random.Random) -> bytes:
    lines = []
    for _ in range(300):
        start = [chance.choice(EXAMPLES.get(character, character)) for character in line_start]
        if chance.random() < 0.5:
            start[chance.randrange(len(start))] = chance.choice("/:@[`9AZz\x7fé")
        lines.append("".join(start) + "x" * chance.choice((0, 1, 7, 40, 300)))
        lines += chance.choice(([], [""], ["\tat a.B"], ["%4|12"], ["%x|"]))
    return "\n".join(lines).encode() + chance.choice((b"", b"\n"))


@pytest.mark.parametrize("line_start", LINE_STARTS)
def test_entries_begin_where_a_regular_expression_finds_their_starts(line_start: str) -> None:
    text = random_text(line_start, random.Random(3))
    padded = np.frombuffer(text + PADDING, np.uint8)
    librdkafka = LIBRDKAFKA_LAYOUT.line_start
    starts, lines_before = find_entry_starts(
        padded, len(text), parse_line_start(line_start), parse_line_start(librdkafka)
    )
    pattern = rb"(?m)^(?=" + pattern_of(line_start) + b"|" + pattern_of(librdkafka) + b")"
    expected = [match.start() for match in re.finditer(pattern, text)]
    assert len(expected) > 50
    assert starts.tolist() == expected
    assert lines_before.tolist() == [text.count(b"\n", 0, start) for start in expected]
