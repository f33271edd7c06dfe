"""JSON of any content: what can't be stored is replaced, and what can't be parsed raises one of two errors."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_telemetry.formats.json_documents import (
    IncompleteJsonError,
    decode_json,
    json_excerpt,
    parse_json_documents,
    storable_json,
)

TEXTS = st.text(st.sampled_from('\\"ud8 \ud800\ud83d\ude00\udfffa\n') | st.characters())


@given(st.recursive(TEXTS, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner), max_leaves=8))
def test_every_string_of_a_storable_document_can_be_encoded(document: object) -> None:
    text = json.dumps(document)
    parsed, end = decode_json(storable_json(text))
    json.dumps(parsed, ensure_ascii=False).encode()
    assert end == len(storable_json(text))


@given(st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8))
def test_a_document_of_whole_characters_stays_as_it_is(document: object) -> None:
    assert decode_json(storable_json(json.dumps(document)))[0] == document


def test_an_integer_of_thousands_of_digits_leaves_the_rest_of_its_document_as_it_is() -> None:
    [document] = parse_json_documents(b'{"a":' + b"9" * 60_001 + b',"b":9223372036854775808,"c":["d"]}')
    assert document == {"a": math.inf, "b": 2**63, "c": ["d"]}


@pytest.mark.parametrize("content", [b"{", b"[" * 100_000, b'{"a":' * 5_000, b"\xff", b"9" * 60_001 + b"x", b'"\\ud8"'])
def test_what_can_not_be_parsed_is_an_incomplete_document(content: bytes) -> None:
    with pytest.raises(IncompleteJsonError):
        list(parse_json_documents(content))


def test_the_documents_before_an_incomplete_one_are_returned() -> None:
    documents = parse_json_documents(b'{"a":1} {"b":2}\n{"c":')
    assert [next(documents), next(documents)] == [{"a": 1}, {"b": 2}]
    with pytest.raises(IncompleteJsonError, match=r'character 16: \{"c":'):
        next(documents)


def test_an_excerpt_of_a_deeply_nested_document_does_not_raise() -> None:
    document: list[object] = []
    for _ in range(100_000):
        document = [document]
    assert json_excerpt(document) == "nested too deeply"
    assert json_excerpt({"ü": [1]}) == '{"ü": [1]}'
    while document:
        document = document.pop()  # type: ignore[assignment]
