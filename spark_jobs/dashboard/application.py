"""The application that answers the dashboard's pages: it only reads the lake, and only answers this machine or who has the
token."""

import asyncio
import re
import secrets
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from spark_jobs.dashboard import report_pages
from spark_jobs.dashboard.csv_download import csv_lines
from spark_jobs.dashboard.panel_answers import MissingTableError, PanelAnswers
from spark_jobs.dashboard.panels import STATIC, Panel, page_for_browser, pages, parameters_of, parse_day
from spark_jobs.errors import UserError
from spark_jobs.lake.file_folder import FileFolder
from spark_jobs.lake.local_folder import LocalFolder
from spark_jobs.quick.engine import Cancellation

_COOKIE = "lagoon_token"
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::\d{1,5})?")
_SECONDS_BETWEEN_LOOKS = 0.2
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
# Text and tables with a style inside: nothing runs and nothing is loaded.
_DATA_DOCS = "/data_docs"
_DATA_DOCS_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}


class Dashboard:
    def __init__(
        self, answers: PanelAnswers, files: FileFolder, *, token: str | None, hosts: frozenset[str] | None
    ) -> None:
        """`token` is what a browser must have, None for nothing. `hosts` are names that a browser may have found this
        server under, None for any: a page of the web could give its own name to this machine's address."""
        self._answers = answers
        self._token = token
        self._hosts = hosts
        self._reports = report_pages.ReportPages(files, answers)
        # Great Expectations' pages, which are served from a folder only.
        self._data_docs = files.folder / "data_docs" if isinstance(files, LocalFolder) else None

    def application(self) -> Starlette:
        routes: list[BaseRoute] = [
            Route("/", self._shell),
            Route("/api/pages", self._pages),
            Route("/api/choices", self._choices),
            Route("/api/panel/{page}/{panel}", self._panel),
            Route("/csv/{page}/{panel}.csv", self._csv),
            Route(report_pages.PATH, self._reports.page),
            Mount("/static", StaticFiles(directory=STATIC)),
        ]
        if self._data_docs is not None:
            routes.append(Mount(_DATA_DOCS, _data_docs_files(self._data_docs)))
        application = Starlette(routes=routes, exception_handlers={UserError: _user_error})
        application.add_middleware(_Guard, dashboard=self)
        return application

    def refusal(self, request: Request) -> Response | None:
        # Starlette replaces a malformed host by the server's own address.
        host = _HOST.fullmatch(request.headers.get("host", ""))
        if self._hosts is not None and (host is None or host[1].strip("[]").lower() not in self._hosts):
            return PlainTextResponse("Open the address that `lagoon dashboard` printed.", 403)
        if request.method not in ("GET", "HEAD"):
            return PlainTextResponse("The dashboard only reads.", 405)
        if self._token is None:
            return None
        given = request.query_params.get("token")
        if given is not None and secrets.compare_digest(given.encode(), self._token.encode()):
            # The token leaves the address bar, so that it is not shared with a link.
            url = request.url.remove_query_params("token")
            # Two slashes would name another server.
            path = f"/{url.path.lstrip('/')}"
            moved = RedirectResponse(f"{path}?{url.query}" if url.query else path, 303)
            moved.set_cookie(_COOKIE, self._token, httponly=True, samesite="strict")
            return moved
        if secrets.compare_digest(request.cookies.get(_COOKIE, "").encode(), self._token.encode()):
            return None
        return PlainTextResponse("Open the address with the token that `lagoon dashboard` printed.", 401)

    async def _shell(self, _: Request) -> Response:
        return FileResponse(STATIC / "index.html", media_type="text/html")

    async def _pages(self, _: Request) -> Response:
        return JSONResponse([page_for_browser(page) for page in pages().values()])

    async def _choices(self, request: Request) -> Response:
        cluster, day = request.query_params.get("cluster"), parse_day(request.query_params.get("day"))
        return JSONResponse(await run_in_threadpool(self._answers.choices, cluster, day))

    async def _panel(self, request: Request) -> Response:
        panel = _find(request)
        if panel is None:
            return PlainTextResponse("There is no such panel.", 404)
        cancellation = Cancellation()
        parameters = parameters_of(request.query_params)
        answering = asyncio.ensure_future(
            run_in_threadpool(self._answers.json, panel, parameters, cancellation=cancellation)
        )
        while not (await asyncio.wait((answering,), timeout=_SECONDS_BETWEEN_LOOKS))[0]:
            if await request.is_disconnected():
                cancellation.cancel()
        return JSONResponse(answering.result())

    async def _csv(self, request: Request) -> Response:
        panel = _find(request)
        if panel is None:
            return PlainTextResponse("There is no such panel.", 404)
        try:
            answer = await run_in_threadpool(self._answers.rows, panel, parameters_of(request.query_params))
        except MissingTableError as error:
            return PlainTextResponse(f"The lake has no table {error.table} yet.", 404)
        name = f"{request.path_params['page']}-{panel.name}.csv"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return StreamingResponse(csv_lines(answer.columns, answer.rows), media_type="text/csv", headers=headers)


class _Guard:
    """Refuses strangers, and adds the headers that keep a page from reaching anything else."""

    def __init__(self, app: Any, dashboard: Dashboard) -> None:
        self._app = app
        self._dashboard = dashboard

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = self._dashboard.refusal(Request(scope)) or self._app
        await answer(scope, receive, _with_headers(send, {**_HEADERS, **_own_headers(scope["path"])}))


def _own_headers(path: str) -> Mapping[str, str]:
    """Of pages with a style or scripts inside."""
    if path.startswith(f"{_DATA_DOCS}/"):
        return _DATA_DOCS_HEADERS
    return report_pages.HEADERS if path == report_pages.PATH else {}


def _data_docs_files(folder: Path) -> StaticFiles:
    """Files below the folder, and no link out of it. A lake without Data Docs gets them with its next run."""
    files = StaticFiles(directory=folder, html=True, check_dir=False)
    files.config_checked = True
    return files


def _with_headers(
    send: Callable[[Any], Awaitable[None]], headers: Mapping[str, str]
) -> Callable[[Any], Awaitable[None]]:
    async def send_with_headers(message: Any) -> None:
        if message["type"] == "http.response.start":
            added = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
            message["headers"] = [*message.get("headers", ()), *added]
        await send(message)

    return send_with_headers


def _find(request: Request) -> Panel | None:
    page = pages().get(request.path_params["page"])
    return page.panel(request.path_params["panel"]) if page else None


async def _user_error(_: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 400)
