"""JSON documents that follow each other in one file, with or without separators, as `curl … >> file` writes them."""

import gc
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_BLANKS = " \t\r\n"


class IncompleteJsonError(Exception):
    """No complete JSON document starts at `position`."""

    def __init__(self, text: str, position: int) -> None:
        self.rest = text[position : position + 500]
        super().__init__(f"no whole JSON document at character {position}: {self.rest}")


def parse_json_documents(content: bytes) -> Iterator[Any]:
    text = content.decode("utf-8-sig", errors="replace")
    decoder = json.JSONDecoder()
    position = 0
    while True:
        while position < len(text) and text[position] in _BLANKS:
            position += 1
        if position == len(text):
            return
        try:
            with _garbage_collection_paused():
                document, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            raise IncompleteJsonError(text, position) from None
        yield document


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
