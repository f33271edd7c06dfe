"""The HTML reports of a lake, served beside its dashboards: `/reports?day=D`, and `&cluster=C` where several have one."""

import html
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from spark_jobs.dashboard.day_file import day_file_path
from spark_jobs.dashboard.panel_answers import PanelAnswers
from spark_jobs.dashboard.panels import parse_day
from spark_jobs.lake.file_folder import FileFolder
from spark_jobs.visible_text import visible

PATH = "/reports"
# A report has its scripts and its style inside; a policy in the file names the hashes of both.
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    )
}
_NO_SCRIPTS = {"Content-Security-Policy": "default-src 'none'"}


class ReportPages:
    def __init__(self, files: FileFolder, answers: PanelAnswers) -> None:
        self._files = files
        self._answers = answers

    async def page(self, request: Request) -> Response:
        query = request.query_params
        return await run_in_threadpool(self._page, query.get("day"), query.get("cluster"))

    def _page(self, wanted_day: str | None, cluster: str | None) -> Response:
        day = parse_day(wanted_day)
        if day is None:
            return PlainTextResponse(f"Name a day: {PATH}?day=2026-11-18", 404)
        known: list[str] = self._answers.choices(None, None)["clusters"]
        paths = {name: day_file_path(name, day) for name in known if cluster in (None, name)}
        written = {name: path for name, path in paths.items() if self._files.modified_at(path)}
        if not written:
            return PlainTextResponse(
                f"The lake has no report of {day}. A run writes one for each day with groups.", 404
            )
        if len(written) > 1:
            return HTMLResponse(_list(str(day), list(written)), headers=_NO_SCRIPTS)
        [path] = written.values()
        return Response(self._files.read(path), media_type="text/html")


def _list(day: str, clusters: list[str]) -> str:
    links = "".join(
        f'<li><a href="{PATH}?{html.escape(urlencode({"day": day, "cluster": cluster}))}">'
        f"{html.escape(visible(cluster))}</a></li>"
        for cluster in clusters
    )
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Reports of {day}</title>'
        f"<h1>Reports of {day}</h1><ul>{links}</ul></html>"
    )
