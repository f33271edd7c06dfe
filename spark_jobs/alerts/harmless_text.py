"""Text of telemetry for messages: it is shown as text, whatever the service makes of markup, mentions and links."""

import html
import re

from spark_jobs.visible_text import shortened, visible

_ZERO_WIDTH_SPACE = "\u200b"
# Characters that are markup in one of the dialects of Markdown, and others that look like them.
_LOOK_ALIKES = str.maketrans(
    {
        **{"*": "\u2217", "`": "'", "~": "\u223c", "|": "\u01c0", "<": "\u2039", ">": "\u203a"},
        **{"[": "\uff3b", "]": "\uff3d"},
    }
)
_LOW_LINE = "\uff3f"
# What would end an emphasis, so that none begins. __consumer_offsets stays as it is.
_EMPHASIS = re.compile(r"_(?=_*(?!\w))")
# A mention, the scheme of a link, the name of an emoji, a channel: what services look for behind these characters.
_ACTING = re.compile(r"@(?=\S)|:(?=//)|(?<!\w):(?=[a-z0-9_+-]+:)|(?<!\w)#(?=\w)|(?<=www)\.")


def harmless(text: str) -> str:
    """For plain text and Markdown. Both are read by services that know mentions."""
    return _without_mentions(_EMPHASIS.sub(_LOW_LINE, visible(shortened(text)).translate(_LOOK_ALIKES)))


def harmless_html(text: str) -> str:
    return html.escape(_without_mentions(visible(shortened(text))))


def _without_mentions(text: str) -> str:
    return _ACTING.sub(lambda found: found[0] + _ZERO_WIDTH_SPACE, text)
