"""The profile superset: a person logs in and asks the lake through the Thrift server."""

import json
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

import pytest
from support.container_engine import ContainerEngine
from support.lagoon_stack import LagoonStack
from support.stack_days import StackDay

pytestmark = [pytest.mark.stack, pytest.mark.timeout(3600)]


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

    def ask(self, path: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self._address}{path}", data=data, headers=self._headers)
        with self._opener.open(request, timeout=120) as answer:
            return json.load(answer)


@pytest.fixture(scope="module")
def superset(
    engine: ContainerEngine,
    checkout: Path,
    stack: LagoonStack,
    first_day: StackDay,  # noqa: ARG001
) -> SupersetApi:
    engine.build(checkout, ".", "lagoon-superset:latest", file="deploy/superset/Dockerfile")
    stack.compose("up", "--detach", "--no-build", "superset")
    stack.wait_for_health(seconds=900)
    api = SupersetApi(stack.ports["SUPERSET_PORT"])
    api.log_in(stack.secrets["SUPERSET_ADMIN_PASSWORD"])
    return api


def test_superset_reads_the_findings(superset: SupersetApi) -> None:
    [lagoon] = superset.ask("/database/")["result"]
    assert lagoon["database_name"] == "Lagoon"
    query = {"database_id": lagoon["id"], "sql": "select group_id, count(*) as n from gold.findings group by 1"}
    groups = {row["group_id"] for row in superset.ask("/sqllab/execute/", query)["data"]}
    assert "backfill-job" in groups
