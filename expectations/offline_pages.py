"""Makes the pages of Great Expectations readable without the web: as written, they load scripts, fonts and images from six hosts.

What is left is text, tables and links between pages, which neither run a script nor load anything. So they can be opened as files,
and `lagoon dashboard` can serve them under a policy that forbids both.
"""

import re
import shutil
from pathlib import Path

_FLAGS = re.DOTALL | re.IGNORECASE
_REMOVED = (
    re.compile(r"<script\b.*?</script>|<style\b.*?</style>", _FLAGS),
    re.compile(r"<(?:link|img|iframe|input)\b[^>]*>", _FLAGS),
    # What needs a script: switches, and handlers of other elements.
    re.compile(r"<label\b[^>]*\bonclick=.*?</label>|\bon[a-z]+=\"[^\"]*\"", _FLAGS),
    # Other hosts, one of which would learn where the reader came from.
    re.compile(r"\bhref=\"(?:https?:)?//[^\"]*\"", _FLAGS),
)
_STYLE = """<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 1.5rem auto; max-width: 75rem; padding: 0 1rem; color-scheme: light dark }
table { border-collapse: collapse; margin: .5rem 0 }
td, th { border: 1px solid #8886; padding: .25rem .6rem; text-align: left; vertical-align: top; overflow-wrap: anywhere }
pre, code { white-space: pre-wrap }
.text-danger, .fa-times { color: #c62828 } .text-success, .fa-check-circle { color: #2e7d32 }
.fa-times::before { content: "\\2717 " } .fa-check-circle::before { content: "\\2713 " }
.modal, .sticky, nav img { display: none }
</style>"""


def make_offline(site: Path) -> None:
    """Rewrites all pages of a site."""
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        for removed in _REMOVED:
            text = removed.sub("", text)
        page.write_text(text.replace("</head>", f"{_STYLE}\n</head>", 1), "utf-8")
    # Fonts and images: several megabytes for each day.
    shutil.rmtree(site / "static", ignore_errors=True)
