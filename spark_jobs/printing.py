"""Prints lines for people: the one function that writes telemetry and names of users to a terminal."""

from rich.console import Console
from rich.text import Text

from spark_jobs.visible_text import shortened, visible

# A text, or a text and its style. A text is never markup, whatever it looks like.
Piece = str | tuple[str, str]


def print_line(console: Console, *pieces: Piece, margin: tuple[Piece, ...] = (), indent: int = 0) -> None:
    """Prints the pieces as one line. On a terminal it is wrapped between words, and indented below the margin, which is
    printed at the left of the first line. In a pipe or a file it stays one line, so that it can be searched and copied."""
    head, body = _text(margin), _text(pieces)
    if not console.is_terminal:
        _pad(head, indent)
        console.print(head + body, highlight=False, soft_wrap=True)
        return
    lines = []
    for line in body.wrap(console, max(console.width - indent, 20)) or [body]:
        _pad(head, indent)
        line.rstrip()
        lines.append(head + line)
        head = Text()
    # At once, so that no other thread prints between two lines.
    console.print(Text("\n").join(lines), highlight=False, soft_wrap=True)


def print_command(console: Console, command: str, indent: int) -> None:
    """Prints a command in one piece, however narrow the terminal, so that it can be copied."""
    console.print(Text(" " * indent + visible(command), style="bold"), highlight=False, soft_wrap=True)


def _text(pieces: tuple[Piece, ...]) -> Text:
    parts = (piece if isinstance(piece, tuple) else (piece, "") for piece in pieces)
    return Text.assemble(*((visible(shortened(text)), style) for text, style in parts))


def _pad(text: Text, width: int) -> None:
    text.append(" " * max(0, width - text.cell_len))
