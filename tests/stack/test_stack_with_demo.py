"""The profile demo: a Kafka whose telemetry lands and is taken in without a person."""

import datetime as dt
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.container_engine import ContainerEngine
from support.lagoon_stack import LagoonStack
from support.lake_contents import gold_contents, table_contents
from support.local_airflow import wait_for
from support.stack_days import run_triggered
from support.stack_rights import published, require_few_rights, secrets_in, services_that_know

from spark_jobs.job import Job
from spark_jobs.lake.catalog import open_to_read
from spark_jobs.landing import list_landing
from spark_jobs.settings import SOURCES

pytestmark = [pytest.mark.stack, pytest.mark.timeout(3600)]

# Pods by group.
GROUPS = {"orders-billing": 3, "search-indexer": 3, "fraud-scoring": 3, "audit-export": 1, "invoice-mailer": 3}
PODS = {f"{group}-{number}" for group, size in GROUPS.items() for number in range(1, size + 1)}
KILLED = "search-indexer-3"
DAG = "telemetry_daily"


@pytest.fixture(scope="module")
def demo(engine: ContainerEngine, images: None, checkout: Path) -> Iterator[LagoonStack]:  # noqa: ARG001
    """The stack with the demo, healthy: nobody has delivered or triggered anything."""
    engine.build(checkout, "deploy/kafka", "lagoon-kafka:latest")
    today = dt.datetime.now(dt.UTC).date().isoformat()
    demo = LagoonStack(
        *(engine, checkout, Path("demo-landing")), project="demo", COMPOSE_PROFILES="demo", LAGOON_FIRST_DAY=today
    )
    try:
        demo.up()
        yield demo
    finally:
        demo.down()
    for kind in ("container", "volume", "network"):
        assert engine.docker(kind, "ls", "--quiet", "--filter", "label=com.docker.compose.project=demo") == ""


@pytest.fixture(scope="module")
def day_so_far(demo: LagoonStack) -> LagoonStack:
    """After two of the demo's own runs, and as many more as it takes until the killed consumer is missed and replaced."""

    def is_enough() -> bool:
        over = [state for run, state in demo.airflow().runs(DAG).items() if run.startswith("manual")]
        assert "failed" not in over
        if over.count("success") < 2:
            return False
        ended = demo.lagoon_sql(f"select ended_by from gold.member_sessions where client_id = '{KILLED}'")
        return {"ended_by": "session_timeout"} in ended

    wait_for(is_enough, seconds=2400)
    return demo


def test_all_sources_land_by_themselves(demo: LagoonStack) -> None:
    files = list_landing(str(demo.volume("demo-landing"))).files
    assert {file.source for file in files} == set(SOURCES)
    assert {file.cluster for file in files} == {"demo"}
    logs = {file.origin for file in files if file.source == "group_logs"}
    assert logs >= {"broker-1", *PODS - {KILLED}}


def test_all_groups_are_in_gold_and_on_the_dashboards(day_so_far: LagoonStack) -> None:
    rows = day_so_far.lagoon_sql("select distinct group_id from gold.group_health where cluster = 'demo'")
    assert {row["group_id"] for row in rows} == set(GROUPS)
    [day] = day_so_far.lagoon_sql("select max(day) as newest from gold.group_health")
    path = f"/api/panel/today/groups?cluster=demo&day={day['newest']}"
    status, answer = day_so_far.ask_dashboards(path, day_so_far.secrets["DASHBOARD_TOKEN"])
    assert status == 200
    assert {group for group in GROUPS if group in answer} == set(GROUPS)


def test_the_group_of_the_killed_consumer_rebalances_because_of_a_session_timeout(day_so_far: LagoonStack) -> None:
    rebalances = day_so_far.lagoon_sql(
        "select group_id, trigger_client_id from gold.rebalances where reason = 'session_timeout'"
    )
    assert len(rebalances) > 0
    assert {(row["group_id"], row["trigger_client_id"]) for row in rebalances} == {("search-indexer", KILLED)}


def test_a_consumer_that_is_stuck_leaves_because_of_its_poll_interval(day_so_far: LagoonStack) -> None:
    sessions = day_so_far.lagoon_sql(
        "select group_id, client_id from gold.member_sessions where ended_by = 'poll_interval'"
    )
    assert len(sessions) > 0
    assert {row["group_id"] for row in sessions} == {"invoice-mailer"}


def test_the_group_of_the_new_protocol_has_an_owner_for_each_partition(day_so_far: LagoonStack) -> None:
    owners = day_so_far.lagoon_sql(
        "select partition_id, client_id from gold.assignments where group_id = 'fraud-scoring' and generation ="
        " (select max(generation) from gold.assignments where group_id = 'fraud-scoring')"
    )
    assert {row["partition_id"] for row in owners} == set(range(6))
    assert {row["client_id"] for row in owners} <= PODS
    types = day_so_far.lagoon_sql("select distinct group_type from gold.rebalances where group_id = 'fraud-scoring'")
    assert types == [{"group_type": "consumer"}]


def test_the_lag_of_the_slow_group_grows(day_so_far: LagoonStack) -> None:
    lags = [
        row["lag"]
        for row in day_so_far.lagoon_sql(
            "select sampled_at, sum(true_lag) as lag from gold.lag where group_id = 'audit-export' and true_lag is not null"
            " group by sampled_at order by sampled_at"
        )
    ]
    assert len(lags) > 3
    # It commits every two minutes, so the lag falls now and then, but never as far as it has grown.
    assert lags[-1] > lags[0] + 500


def test_nothing_is_rejected_and_every_line_is_understood(day_so_far: LagoonStack) -> None:
    assert day_so_far.lagoon_sql("select * from quality.rejected_rows") == []
    counted = day_so_far.lagoon_sql(
        "select source, sum(records) > 100 as enough, sum(not_understood) as not_understood, sum(rejected) as rejected"
        " from gold.coverage group by source order by source"
    )
    assert counted == [
        {"source": source, "enough": True, "not_understood": 0, "rejected": 0} for source in sorted(SOURCES)
    ]


def test_the_demo_has_few_rights_and_is_reached_from_nowhere(day_so_far: LagoonStack) -> None:
    require_few_rights(day_so_far)
    ports = sorted(day_so_far.ports[name] for name in ("AIRFLOW_PORT", "DASHBOARD_PORT", "SQL_PORT"))
    assert published(day_so_far) == [("127.0.0.1", port) for port in ports]
    known = services_that_know(day_so_far)
    assert known["AIRFLOW_ADMIN_PASSWORD"] == {"airflow-api", "demo-runs"}
    assert not {service for services in known.values() for service in services} & {"kafka", "demo-load", "collect"}
    assert secrets_in(day_so_far, []) == set()


def test_a_day_taken_in_piece_by_piece_has_the_tables_of_one_taken_in_once(
    day_so_far: LagoonStack, new_job: Callable[..., Job], tmp_path: Path
) -> None:
    day_so_far.compose("stop", "demo-runs", "collect", "demo-load", "kafka")
    [day] = {str(file.delivered_on) for file in list_landing(str(day_so_far.volume("demo-landing"))).files}
    assert run_triggered(day_so_far, day).state == "success"
    day_so_far.compose("exec", "-T", "airflow-scheduler", "lagoon-task", "run", "--lake", "/scratch/lakes/once")
    shutil.copytree(day_so_far.volume("lake"), tmp_path / "piece-by-piece")
    shutil.copytree(day_so_far.volume("scratch") / "lakes" / "once", tmp_path / "once")
    contents = []
    for lake in (tmp_path / "piece-by-piece", tmp_path / "once"):
        job = new_job(lake, day_so_far.volume("demo-landing"))
        open_to_read(job.lake.spark, str(lake))
        contents.append({**table_contents(job.lake), **gold_contents(job.lake)})
    piece_by_piece, once = contents
    assert len(once["group_health"]) == len(GROUPS)
    assert len(once["silver.offset_commits"]) > 1000
    assert piece_by_piece.keys() == once.keys()
    assert {name for name in once if piece_by_piece[name] != once[name]} == set()
