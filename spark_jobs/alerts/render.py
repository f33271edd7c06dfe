"""Writes a message as plain text, Markdown or HTML, no longer than the channel can take."""

import html
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from spark_jobs.alerts.harmless_text import harmless, harmless_html
from spark_jobs.alerts.message import Message, Notice, Section
from spark_jobs.progress import counted

# Facts of an item that is short.
_SHORT_FACTS = ("Since", "Cost", "Ended", "Kinds")
_COLOURS = {"critical": "#b42318", "warning": "#b54708", "info": "#175cd3"}


class Rendered(NamedTuple):
    title: str
    body: str


@dataclass(frozen=True)
class _Amount:
    """How much of a message is written: so many notices of a section, and what of each."""

    items: int
    detail: int


_HEADLINES, _SHORT, _FULL = range(3)
# From the most complete message to the shortest one. All headlines are worth more than one notice with everything.
_AMOUNTS = (
    *(_Amount(20, _FULL), _Amount(12, _FULL), _Amount(20, _SHORT), _Amount(12, _SHORT)),
    *(_Amount(items, _HEADLINES) for items in (20, 12, 8, 5, 3, 2, 1)),
)


def render(message: Message, message_format: str, longest_title: int, longest_body: int) -> Rendered:
    """A limit of 0 is none. The body leaves out what does not fit, and says how much."""
    # The subject of a mail has no markup.
    title = harmless(message.title)
    if longest_title and len(title) > longest_title:
        title = f"{title[: longest_title - 2]} …"
    write = _WRITERS[message_format]
    for amount in _AMOUNTS:
        body = write(message, amount)
        if not longest_body or len(body) <= longest_body:
            return Rendered(title, body)
    shortest = write(replace(message, sections=()), _Amount(0, _HEADLINES))
    # Not in the middle of an HTML tag or a character of Markdown: then only the counts fit.
    return Rendered(title, shortest if len(shortest) <= longest_body else harmless(message.summary)[:longest_body])


def _text(message: Message, amount: _Amount) -> str:
    lines = [harmless(message.summary)]
    for section, items, left_out in _sections(message, amount):
        lines += ["", f"{section.status.upper()} ({section.alerts:,})"]
        for item in items:
            lines += [*_gap(amount), f"{item.severity.upper()}  {harmless(item.headline)}"]
            lines += [f"  {label}: {harmless(text)}" for label, text in _facts(item, amount)]
            lines += [f"  - {harmless(row)}" for row in _rows(item, amount)]
            lines += [f"  To do: {harmless(item.advice)}"] if _has_advice(item, amount) else []
            lines += [f"  {item.command}"] if item.command and amount.detail == _FULL else []
        lines += ["", f"  … and {counted(left_out, 'more alert')}"] if left_out else []
    lines += ["", *(f"Report: {report}" for report in message.reports)]
    lines += [f"{what}: {command}" for what, command in message.commands]
    return "\n".join(lines)


def _markdown(message: Message, amount: _Amount) -> str:
    lines = [harmless(message.summary)]
    for section, items, left_out in _sections(message, amount):
        lines += ["", f"**{section.status.upper()} ({section.alerts:,})**"]
        for item in items:
            lines += ["", f"**{item.severity}** {harmless(item.headline)}", *_gap(amount)]
            lines += [f"- {label}: {harmless(text)}" for label, text in _facts(item, amount)]
            lines += [f"- Also: {harmless(row)}" for row in _rows(item, amount)]
            lines += [f"- **To do:** {harmless(item.advice)}"] if _has_advice(item, amount) else []
            lines += [f"- {_code(item.command)}"] if item.command and amount.detail == _FULL else []
        lines += ["", f"… and {counted(left_out, 'more alert')}"] if left_out else []
    lines += [""]
    lines += [f"- Report: {_link(report)}" for report in message.reports]
    lines += [f"- {what}: {_code(command)}" for what, command in message.commands]
    return "\n".join(lines)


def _html(message: Message, amount: _Amount) -> str:
    parts = [
        '<div style="font:15px/1.45 system-ui,sans-serif;max-width:46em">',
        f'<p style="margin:0 0 .8em">{harmless_html(message.summary)}</p>',
    ]
    for section, items, left_out in _sections(message, amount):
        parts.append(
            f'<h2 style="font-size:13px;letter-spacing:.06em;margin:1.4em 0 .4em">{section.status.upper()} ({section.alerts:,})</h2>'
        )
        parts += [_html_item(item, amount) for item in items]
        parts += [f"<p>… and {counted(left_out, 'more alert')}</p>"] if left_out else []
    parts.append('<p style="margin:1.6em 0 0">')
    parts += [f"Report: {_html_link(report)}<br>" for report in message.reports]
    parts += [f"{what}: <code>{html.escape(command)}</code><br>" for what, command in message.commands]
    return "".join([*parts, "</p></div>"])


def _html_item(item: Notice, amount: _Amount) -> str:
    colour = _COLOURS[item.severity]
    parts = [
        f'<div style="border-left:4px solid {colour};padding:.1em 0 .1em .8em;margin:0 0 1.1em">',
        f'<b style="color:{colour}">{item.severity}</b> <b>{harmless_html(item.headline)}</b><br>',
    ]
    parts += [f"{label}: {harmless_html(text)}<br>" for label, text in _facts(item, amount)]
    rows = "".join(f"<li>{harmless_html(row)}</li>" for row in _rows(item, amount))
    parts += [f'<ul style="margin:.2em 0">{rows}</ul>'] if rows else []
    parts += [f"<b>To do:</b> {harmless_html(item.advice)}<br>"] if _has_advice(item, amount) else []
    parts += [f"<code>{html.escape(item.command)}</code>"] if item.command and amount.detail == _FULL else []
    return "".join([*parts, "</div>"])


def _sections(message: Message, amount: _Amount) -> Iterator[tuple[Section, tuple[Notice, ...], int]]:
    """Each section, the items of it that are written, and how many alerts are left out."""
    for section in message.sections:
        items = section.items[: amount.items]
        yield section, items, section.alerts - sum(item.alerts for item in items)


def _facts(item: Notice, amount: _Amount) -> list[tuple[str, str]]:
    if amount.detail == _HEADLINES:
        return []
    return [fact for fact in item.facts if amount.detail == _FULL or fact[0] in _SHORT_FACTS]


def _rows(item: Notice, amount: _Amount) -> tuple[str, ...]:
    return item.rows if amount.detail == _FULL else ()


def _gap(amount: _Amount) -> list[str]:
    return [] if amount.detail == _HEADLINES else [""]


def _has_advice(item: Notice, amount: _Amount) -> bool:
    return bool(item.advice) and amount.detail != _HEADLINES


def _code(command: str) -> str:
    return f"`{command.replace('`', chr(39))}`"


def _link(report: str) -> str:
    return report if "://" in report else _code(report)


def _html_link(report: str) -> str:
    shown = html.escape(report)
    return f'<a href="{shown}">{shown}</a>' if report.startswith(("http://", "https://")) else f"<code>{shown}</code>"


_WRITERS: dict[str, Callable[[Message, _Amount], str]] = {"text": _text, "markdown": _markdown, "html": _html}
