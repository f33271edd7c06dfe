"""JSON documents one after another, with or without anything between: answers kept by `curl … >> file`."""

import gc
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_BLANKS = " \t\r\n"


class TornJsonError(Exception):
    """What stands at `position` is no whole document."""

    def __init__(self, text: str, position: int) -> None:
        self.rest = text[position : position + 500]
        super().__init__(f"no whole JSON document at character {position}: {self.rest}")


def documents(content: bytes) -> Iterator[Any]:
    text = content.decode("utf-8-sig", errors="replace")
    decoder = json.JSONDecoder()
    position = 0
    while True:
        while position < len(text) and text[position] in _BLANKS:
            position += 1
        if position == len(text):
            return
        try:
            with _no_search_for_garbage():
                document, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            raise TornJsonError(text, position) from None
        yield document


@contextmanager
def _no_search_for_garbage() -> Iterator[None]:
    """A document has no cycles, but millions of lists: looking through them for cycles doubles the time."""
    wanted = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if wanted:
            gc.enable()
