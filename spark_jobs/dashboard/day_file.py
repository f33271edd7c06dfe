"""The day as one HTML file: the same panels and scripts as the dashboards, with the answers inside. It loads nothing."""

import base64
import datetime as dt
import hashlib
import json
from typing import Any

from spark_jobs.dashboard.panel_answers import PanelAnswers
from spark_jobs.dashboard.panels import STATIC, page_for_browser, pages, parameters_of

_PAGES = ("today", "rebalances", "commits", "balance", "lag", "quality", "trust")
_SCRIPTS = ("echarts.min.js", "values.js", "tables.js", "cards.js", "charts.js", "pickers.js", "pages.js")
# Rows of each panel: what a reader of a report looks at. The dashboard and `lagoon sql` have all.
_MOST_ROWS = 500


def day_file(answers: PanelAnswers, cluster: str, day: dt.date, *, data_docs: str | None = None) -> str:
    """The HTML of one cluster's day. `data_docs` is where the file will find Great Expectations' pages: a relative address."""
    parameters = parameters_of({"cluster": cluster, "day": day.isoformat()})
    described = []
    for name in _PAGES:
        page = page_for_browser(pages()[name])
        for panel, shown in zip(pages()[name].panels, page["panels"], strict=True):
            shown["data"] = answers.json(panel, parameters, _MOST_ROWS)
        described.append(page)
    written_at = dt.datetime.now(dt.UTC).strftime("%Y-%m-%d %H:%M UTC")
    return _html(
        {
            **{"cluster": cluster, "day": day.isoformat(), "written_at": written_at, "pages": described},
            **({"data_docs": data_docs} if data_docs else {}),
        }
    )


def day_file_path(cluster: str, day: dt.date) -> str:
    """Where in the lake a run writes the file. A cluster's name may have characters that no file can have."""
    safe = "".join(each if each.isalnum() or each in "-_." else f"%{ord(each):02X}" for each in cluster)
    return f"reports/{day}-{safe}.html"


def _html(report: dict[str, Any]) -> str:
    # Neither `</script>` nor `<!--` can end or change the element, whatever the names of telemetry are.
    data = json.dumps(report, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    style = (STATIC / "style.css").read_text("utf-8")
    # Some text of ECharts could end the element too.
    scripts = [(STATIC / name).read_text("utf-8").replace("</script", "<\\/script") for name in _SCRIPTS]
    hashes = " ".join(f"'sha256-{_hash(script)}'" for script in scripts)
    policy = f"default-src 'none'; script-src {hashes}; style-src 'sha256-{_hash(style)}'; img-src data:"
    return "".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            '<meta name="color-scheme" content="light dark">\n<title>Lagoon</title>\n',
            f"<style>{style}</style>\n</head>\n<body>\n",
            '<div id="app"><noscript>This report needs JavaScript, which is in this file.</noscript></div>\n',
            f'<script type="application/json" id="report-data">{data}</script>\n',
            *(f"<script>{script}</script>\n" for script in scripts),
            "</body>\n</html>\n",
        ]
    )


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
