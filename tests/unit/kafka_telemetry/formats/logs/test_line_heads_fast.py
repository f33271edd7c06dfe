"""The quick way to take a line apart finds what the layout's pattern finds, or nothing."""

import random
import re

import pyarrow as pa
import pytest
from support.recorded_logs import broker_log, client_logs

from kafka_telemetry.formats.logs.line_heads_fast import opened
from kafka_telemetry.formats.logs.log_layouts import LAYOUTS, Layout, _parts

QUICK = {layout.name: layout for layout in LAYOUTS if layout.quick}
STRAY = "[] -:.,T Z+09aA(\n\t)é\x0b\r$_|"


def recorded(name: str) -> list[str]:
    """Entries of the layout, from every third of the recorded files that have it."""
    if name == "kafka":
        texts = [broker_log("kafka-4.3")[:150_000]]
    else:
        head = r"\d\d:\d\d:\d\d\." if name.startswith("logback") else r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,"
        texts = [text[:60_000] for text in client_logs("kafka-4.3").values() if re.match(head, text)][::3]
    if name == "logback with a date":
        texts = [re.sub(r"(?m)^(?=\d\d:\d\d:\d\d\.)", "2026-11-18T", text) for text in texts]
    return [entry for text in texts for entry in re.split(r"(?m)^(?=\[?\d\d)", text) if entry]


def disturbed(entry: str, chance: random.Random) -> str:
    characters = list(entry)
    for _ in range(chance.choice((1, 1, 2, 3))):
        at = chance.randrange(min(len(characters), chance.choice((30, 90, 10_000))))
        characters[at : at + chance.choice((0, 1, 1))] = chance.choice(("", *STRAY))
    return "".join(characters) + chance.choice(("", "", " ", "\t\r", "\r\n", " (a.B)\n"))


@pytest.mark.parametrize("layout", QUICK.values(), ids=QUICK)
def test_disturbed_lines_are_taken_apart_as_by_the_pattern_or_left_to_it(layout: Layout) -> None:
    chance = random.Random(5)
    whole = recorded(layout.name)
    entries = pa.array([*whole, *(disturbed(entry, chance) for entry in whole for _ in range(5))])
    parts, fits = _parts(entries, layout.patterns[0], layout.closing)
    quick = opened(entries, layout.quick, closed=bool(layout.closing))
    assert 0.2 < quick.fits.sum() / len(entries) < 0.95
    assert not (quick.fits & ~fits).any()
    assert quick.fits.sum() > 0.9 * fits.sum()
    both = pa.array(quick.fits[fits])
    assert {name: of.to_pylist() for name, of in quick.parts.items()} == {
        name: of.filter(both).to_pylist() for name, of in parts.items()
    }


@pytest.mark.parametrize(
    "zone", ["", "Z", "+01:00", "-0500", "+1:00", ".120Z", ",120+05:30", ".", "+", "+01:", " Z", "+0100Z"]
)
def test_zones_are_known_as_the_pattern_knows_them(zone: str) -> None:
    entries = pa.array([f"2026-11-18T10:00:00{zone} INFO  [main] a.B - said"])
    parts, fits = _parts(entries, QUICK["log4j"].patterns[0], "")
    quick = opened(entries, QUICK["log4j"].quick, closed=False)
    assert quick.fits.tolist() == fits.tolist()
    assert {name: of.to_pylist() for name, of in quick.parts.items()} == {
        name: of.to_pylist() for name, of in parts.items()
    } or not fits.any()
