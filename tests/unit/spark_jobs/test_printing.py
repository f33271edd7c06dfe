"""Text of telemetry on a terminal: shown, and never acting."""

import io

import pytest
from rich.console import Console

from spark_jobs.printing import print_command, print_line
from spark_jobs.visible_text import shell_quoted, shortened, visible


def printed(*pieces: str, terminal: bool = True, width: int = 40, indent: int = 0) -> str:
    file = io.StringIO()
    print_line(Console(file=file, force_terminal=terminal, width=width, no_color=True), *pieces, indent=indent)
    return file.getvalue()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("root:x:0", "root:x:0"),
        ("[bold]a[/bold] [/nope] [link=x]", "[bold]a[/bold] [/nope] [link=x]"),
        ("a\x1b[31mb\x1b]0;title\x07", r"a\x1b[31mb\x1b]0;title\x07"),
        ("\x9b2J", r"\x9b2J"),
        ("a\nCRITICAL all fine\r", r"a\nCRITICAL all fine\r"),
        ("a\u2028b\u2029c\x85d\x0be", r"a\u2028b\u2029c\x85d\x0be"),
        ("invoice\u202egnp.exe", r"invoice\u202egnp.exe"),
        ("\u2066\u200e\u200b\ufeff\U000e0041", r"\u2066\u200e\u200b\ufeff\U000e0041"),
        ("a\udc80", r"a\udc80"),
        ("grüße 東京 🙂", "grüße 東京 🙂"),
    ],
)
@pytest.mark.parametrize("terminal", [True, False])
def test_text_is_shown_as_it_is_except_what_would_act(text: str, shown: str, terminal: bool) -> None:
    assert printed(text, terminal=terminal, width=200) == f"{shown}\n"


def test_a_line_is_wrapped_on_a_terminal_and_nowhere_else() -> None:
    assert printed("one two three four five", width=36, indent=15) == (
        " " * 15 + "one two three four\n" + " " * 15 + "five\n"
    )
    assert printed("one two three four five", width=9, indent=3, terminal=False) == "   one two three four five\n"


def test_a_command_is_never_wrapped() -> None:
    file = io.StringIO()
    print_command(Console(file=file, force_terminal=True, width=20, no_color=True), "lagoon sql " + "x" * 50, 4)
    assert file.getvalue().count("\n") == 1


def test_a_text_of_thousands_of_characters_keeps_its_start_and_its_end() -> None:
    text = "Group " + "x" * 10_000 + " rebalanced 5 times"
    assert shortened(text).startswith("Group xxx")
    assert shortened(text).endswith("xxx rebalanced 5 times")
    assert "[… 9,125 characters …]" in shortened(text)
    assert shortened("x" * 1_000) == "x" * 1_000


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("lake", "lake"),
        ("my lake", '"my lake"'),
        ("select 'a'", "\"select 'a'\""),
        ("$(touch x)", "'$(touch x)'"),
        ("`id`", "'`id`'"),
        ("it's \"", "'it'\"'\"'s \"'"),
        ("a\nb", r"'a\nb'"),
    ],
)
def test_a_command_to_copy_quotes_what_would_act_in_a_shell(text: str, quoted: str) -> None:
    assert shell_quoted(text) == quoted


def test_every_character_that_is_no_printable_one_is_escaped() -> None:
    acting = [chr(code) for code in range(0x110000) if not chr(code).isprintable()]
    assert len(acting) > 100_000
    assert all(visible(char).isascii() and visible(char).isprintable() for char in acting)
