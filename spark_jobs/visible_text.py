"""Text of telemetry and of users for a terminal, where it could act: move the cursor, set a title, forge a line."""

import shlex

_LONGEST = 1_000
_KEPT_START, _KEPT_END = 700, 200


def visible(text: str) -> str:
    """The text on one line, with control, invisible and direction-changing characters written as escapes."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def shortened(text: str) -> str:
    """The text, without the middle of one that would fill a screen: a name in telemetry may have thousands of characters."""
    if len(text) <= _LONGEST:
        return text
    left_out = len(text) - _KEPT_START - _KEPT_END
    return f"{text[:_KEPT_START]} [… {left_out:,} characters …] {text[-_KEPT_END:]}"


def shell_quoted(text: str) -> str:
    """The text as one word of a shell command that people copy, so that nothing in it acts there. In double quotes if it can
    be: SQL has single quotes."""
    if any(char in text for char in '"$`\\!') or not text.isprintable():
        return shlex.quote(visible(text))
    return f'"{text}"' if shlex.quote(text) != text else text
