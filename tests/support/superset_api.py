"""Superset's REST interface, as far as tests use it."""

import json
import urllib.request
from http.cookiejar import CookieJar
from typing import Any


class SupersetApi:
    def __init__(self, port: int) -> None:
        self._address = f"http://127.0.0.1:{port}/api/v1"
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        self._headers = {"Content-Type": "application/json"}

    def log_in(self, password: str) -> None:
        login = {"username": "admin", "password": password, "provider": "db"}
        token = self.ask("/security/login", login)["access_token"]
        self._headers["Authorization"] = f"Bearer {token}"
        self._headers["X-CSRFToken"] = self.ask("/security/csrf_token/")["result"]

    def ask(self, path: str, body: object = None, *, method: str | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self._address}{path}", data, self._headers, method=method)
        with self._opener.open(request, timeout=120) as answer:
            return json.load(answer)
