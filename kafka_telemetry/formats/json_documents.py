"""JSON documents that follow each other in one file, with or without separators, as `curl … >> file` writes them."""

import gc
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_BLANKS = " \t\r\n"
# An escape of half a surrogate pair, which is no character and can't be stored; other escapes, so as not to begin inside
# one of them; and whole pairs.
_ESCAPES = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_REPLACEMENT = "\\ufffd"
# Python refuses to parse integers of more digits.
_MOST_DIGITS = 4300
_LONGEST_EXCERPT = 500


class IncompleteJsonError(Exception):
    """No complete JSON document starts at `position`."""

    def __init__(self, text: str, position: int) -> None:
        self.rest = text[position : position + _LONGEST_EXCERPT]
        super().__init__(f"no whole JSON document at character {position}: {self.rest}")


def parse_json_documents(content: bytes) -> Iterator[Any]:
    text = storable_json(content.decode("utf-8-sig", errors="replace"))
    position = 0
    while True:
        while position < len(text) and text[position] in _BLANKS:
            position += 1
        if position == len(text):
            return
        try:
            with _garbage_collection_paused():
                document, position = decode_json(text, position)
        except (ValueError, RecursionError):
            raise IncompleteJsonError(text, position) from None
        yield document


def storable_json(text: str) -> str:
    """Replaces escapes of lone surrogates: Java and UTF-8 have no such characters, and no column can hold them."""
    if _SURROGATE.search(text) is None:
        return text
    return _ESCAPES.sub(lambda match: _REPLACEMENT if match[1] else match[0], text)


def decode_json(text: str, position: int = 0) -> tuple[Any, int]:
    """Returns the JSON value that begins at a position, and where it ends. Raises ValueError or RecursionError.

    An integer of thousands of digits becomes a float, most likely infinite: it is no reason to drop all that is beside it.
    """
    try:
        return _DECODER.raw_decode(text, position)
    except json.JSONDecodeError:
        raise
    except ValueError:
        return _DECODER_OF_LONG_INTEGERS.raw_decode(text, position)


def json_excerpt(document: Any) -> str:
    """A part of a document as text, for people who look at what was not understood."""
    try:
        return json.dumps(document, ensure_ascii=False)
    except RecursionError:
        return "nested too deeply"


def _parse_integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _MOST_DIGITS else float(digits)


_DECODER = json.JSONDecoder()
_DECODER_OF_LONG_INTEGERS = json.JSONDecoder(parse_int=_parse_integer)


@contextmanager
def _garbage_collection_paused() -> Iterator[None]:
    """A parsed document has no reference cycles but millions of lists: searching them for cycles doubles the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
