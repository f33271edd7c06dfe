"""The compiled splitting of lines finds what the layout's pattern finds, or nothing."""

import random
import re

import pyarrow as pa
import pytest
from support.recorded_logs import broker_log, client_logs

from kafka_telemetry.formats.logs.line_prefix import split_by_pattern
from kafka_telemetry.formats.logs.line_prefix_fast import LineParts, split_fast
from kafka_telemetry.formats.logs.log_layouts import LAYOUTS, LogLayout

FAST = {layout.name: layout for layout in LAYOUTS if layout.prefix_elements}
STRAY_CHARACTERS = "[] -:.,T Z+09aA(\n\t)é\x0b\r$_|"


def both(entries: pa.StringArray, layout: LogLayout) -> tuple[LineParts, LineParts]:
    fast = split_fast(entries, layout.prefix_elements, logger_at_end=bool(layout.suffix_pattern))
    return fast, split_by_pattern(entries, layout.patterns[0], layout.suffix_pattern)


def recorded_entries(layout: str) -> list[str]:
    """Entries of the layout, from every third of the recorded files that have it."""
    if layout == "kafka":
        texts = [broker_log("kafka-4.3")[:150_000]]
    else:
        start = r"\d\d:\d\d:\d\d\." if layout.startswith("logback") else r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,"
        texts = [text[:60_000] for text in client_logs("kafka-4.3").values() if re.match(start, text)][::3]
    if layout == "logback with a date":
        texts = [re.sub(r"(?m)^(?=\d\d:\d\d:\d\d\.)", "2026-11-18T", text) for text in texts]
    return [entry for text in texts for entry in re.split(r"(?m)^(?=\[?\d\d)", text) if entry]


def disturbed(entry: str, chance: random.Random) -> str:
    characters = list(entry)
    for _ in range(chance.choice((1, 1, 2, 3))):
        at = chance.randrange(min(len(characters), chance.choice((30, 90, 10_000))))
        characters[at : at + chance.choice((0, 1, 1))] = chance.choice(("", *STRAY_CHARACTERS))
    return "".join(characters) + chance.choice(("", "", " ", "\t\r", "\r\n", " (a.B)\n"))


@pytest.mark.parametrize("layout", FAST.values(), ids=FAST)
def test_disturbed_lines_are_split_as_by_the_pattern_or_left_to_it(layout: LogLayout) -> None:
    chance = random.Random(5)
    recorded = recorded_entries(layout.name)
    entries = pa.array([*recorded, *(disturbed(entry, chance) for entry in recorded for _ in range(5))])
    fast, by_pattern = both(entries, layout)
    assert 0.2 < fast.matched.sum() / len(entries) < 0.95
    assert not (fast.matched & ~by_pattern.matched).any()
    assert fast.matched.sum() > 0.9 * by_pattern.matched.sum()
    matched_by_both = pa.array(fast.matched[by_pattern.matched])
    assert {part: values.to_pylist() for part, values in fast.parts.items()} == {
        part: values.filter(matched_by_both).to_pylist() for part, values in by_pattern.parts.items()
    }


@pytest.mark.parametrize(
    "zone", ["", "Z", "+01:00", "-0500", "+1:00", ".120Z", ",120+05:30", ".", "+", "+01:", " Z", "+0100Z"]
)
def test_the_same_time_zones_are_accepted(zone: str) -> None:
    entries = pa.array([f"2026-11-18T10:00:00{zone} INFO  [main] a.B - message"])
    fast, by_pattern = both(entries, FAST["log4j"])
    assert fast.matched.tolist() == by_pattern.matched.tolist()
    if by_pattern.matched.any():
        assert {part: values.to_pylist() for part, values in fast.parts.items()} == {
            part: values.to_pylist() for part, values in by_pattern.parts.items()
        }
