from pathlib import Path

from kafka_telemetry.formats.logs import broker_config
from kafka_telemetry.formats.logs.event_vocabulary import MEANINGS, TEMPLATES_BY_PROGRAM, vocabulary_page

PAGE = Path(__file__).parents[5] / "docs" / "log-events.md"


def test_the_page_of_log_events_lists_the_templates() -> None:
    assert PAGE.read_text() == vocabulary_page()


def test_each_event_has_a_meaning_and_each_meaning_an_event() -> None:
    events = {template.event for templates in TEMPLATES_BY_PROGRAM.values() for template in templates} - {""}
    assert len(events) > 50
    assert events | {broker_config.EVENT} == MEANINGS.keys()


def test_no_template_occurs_twice_in_a_table() -> None:
    assert len(TEMPLATES_BY_PROGRAM) > 3
    for templates in TEMPLATES_BY_PROGRAM.values():
        texts = [(template.text, *sorted(template.field_patterns)) for template in templates]
        assert len(texts) == len(set(texts))
