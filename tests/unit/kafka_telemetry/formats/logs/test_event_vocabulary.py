from pathlib import Path

from kafka_telemetry.formats.logs.event_vocabulary import MEANINGS, SPEAKERS, page

PAGE = Path(__file__).parents[5] / "docs" / "log-events.md"


def test_the_page_of_log_events_is_what_the_tables_say() -> None:
    assert PAGE.read_text() == page()


def test_each_event_has_a_meaning_and_each_meaning_an_event() -> None:
    events = {template.event for templates in SPEAKERS.values() for template in templates} - {""}
    assert len(events) > 50
    assert events == MEANINGS.keys()


def test_no_wording_stands_twice_in_a_table() -> None:
    for templates in SPEAKERS.values():
        texts = [(template.text, *sorted(template.field_patterns)) for template in templates]
        assert len(texts) == len(set(texts))
