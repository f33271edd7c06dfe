"""JSON documents one after another, with or without anything between: answers kept by `curl … >> file`."""

import json
from collections.abc import Iterator
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
            document, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            raise TornJsonError(text, position) from None
        yield document
