"""The profile superset: a person logs in and asks the lake through the Thrift server."""

from pathlib import Path

import pytest
from support.container_engine import ContainerEngine
from support.lagoon_stack import LagoonStack
from support.stack_days import StackDay
from support.superset_api import SupersetApi
from support.superset_assets import read_assets

pytestmark = [pytest.mark.stack, pytest.mark.timeout(3600)]


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


def test_superset_has_the_dashboard_and_starting_it_again_leaves_it_alone(
    superset: SupersetApi, stack: LagoonStack
) -> None:
    charts = {chart.document["slice_name"] for chart in read_assets("charts")}
    assert {chart["slice_name"] for chart in superset.ask("/dashboard/lagoon/charts")["result"]} == charts

    stack.compose("restart", "superset")
    stack.wait_for_health(seconds=900)
    superset.log_in(stack.secrets["SUPERSET_ADMIN_PASSWORD"])
    assert superset.ask("/dashboard/")["count"] == 1
    assert superset.ask("/chart/")["count"] == len(charts)
