"""A real scheduler runs the daily DAG: each day once, days again, and on after a task or the scheduler itself was killed."""

import datetime as dt
import json
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.airflow_environment import installed_airflow
from support.lake_contents import gold_contents, table_contents
from support.local_airflow import LocalAirflow, processes, wait_for
from support.webhook_server import webhook_server

from benchmarks.days import deliver_day
from spark_jobs import run as runs
from spark_jobs.job import DeliveryDays, Job
from spark_jobs.report.lake_reader import LakeReader
from spark_jobs.settings import load

pytestmark = pytest.mark.slow

DAG = "telemetry_daily"
COMMANDS = ("bronze", "build", "report", "alert")
_MOST_SECONDS_OF_A_RUN = 900
# In the log of the lake.
_GOLD_BEGINS = "the models of those days"

airflow_environment = pytest.fixture(scope="module")(installed_airflow)


def _few_groups(path: Path) -> bool:
    """The groups of one offsets partition, and some of the lag reports."""
    if path.parent.name == "lag":
        return any(time in path.name for time in ("112800Z", "112930Z", "113100Z", "113229Z"))
    return path.parent.name == "__consumer_offsets-2"


def deliver(number: int, landing: Path) -> dt.date:
    """A few days ago, so that every day is over and the scheduler makes a run for it."""
    first = dt.datetime.now(dt.UTC).date() - dt.timedelta(4)
    return deliver_day(number, landing, include=_few_groups, first=first)


@pytest.fixture
def landing(tmp_path: Path) -> Path:
    return tmp_path / "landing"


@contextmanager
def running_airflow(
    folder: Path, landing: Path, first: object, last: object, **settings: str
) -> Iterator[LocalAirflow]:
    """An Airflow that makes a run for each day from the first to the last, and for no other."""
    airflow = LocalAirflow(
        folder / "airflow",
        LAGOON_LANDING=str(landing),
        LAGOON_LAKE=str(folder / "lake"),
        LAGOON_FIRST_DAY=str(first),
        LAGOON_LAST_DAY=str(last),
        LAGOON_RETRY_MINUTES="0.05",
        **settings,
    )
    airflow.start()
    try:
        yield airflow
    finally:
        airflow.stop()


@pytest.fixture
def airflow(airflow_environment: object, landing: Path, tmp_path: Path) -> Iterator[LocalAirflow]:  # noqa: ARG001
    first, last = (deliver(number, landing) for number in (0, 1))
    with running_airflow(tmp_path, landing, first, last) as airflow:
        yield airflow


def wait_until_over(airflow: LocalAirflow, count: int) -> dict[str, str]:
    def is_over() -> bool:
        states = airflow.runs(DAG)
        return len(states) >= count and set(states.values()) <= {"success", "failed"}

    wait_for(is_over, seconds=count * _MOST_SECONDS_OF_A_RUN)
    return airflow.runs(DAG)


@pytest.mark.timeout(3600)
def test_days_are_run_once_run_again_and_finished_after_kills(
    airflow: LocalAirflow, landing: Path, tmp_path: Path, new_job: Callable[..., Job]
) -> None:
    lake = tmp_path / "lake"
    airflow.unpause(DAG)
    states = wait_until_over(airflow, 2)
    assert list(states.values()) == ["success", "success"]
    assert {state for state, _ in airflow.tasks(DAG, next(iter(states))).values()} == {"success", "skipped"}

    # A task that is killed with everything it started is retried.
    day = deliver(2, landing)
    run = airflow.trigger(DAG, day=str(day))
    build, log = ("build", "--day", str(day), "--landing", str(landing)), lake / "logs" / "lagoon.log"
    wait_for(lambda: bool(processes(*build)), seconds=_MOST_SECONDS_OF_A_RUN)
    for group in {os.getpgid(process) for process in processes(*build)}:
        os.killpg(group, signal.SIGKILL)

    # The scheduler is killed while gold is built: `make airflow` ends, and goes on when it is started again.
    built = log.read_text().count(_GOLD_BEGINS)
    wait_for(lambda: log.read_text().count(_GOLD_BEGINS) > built, seconds=_MOST_SECONDS_OF_A_RUN)
    assert airflow.tasks(DAG, run)["build"] == ("running", 2)
    os.kill(airflow.component("scheduler"), signal.SIGKILL)
    assert "Airflow's scheduler exited" in airflow.wait_until_it_ended()
    assert processes(*build) == []
    airflow.start()
    states = wait_until_over(airflow, 3)
    assert list(states.values()) == ["success"] * 3
    assert airflow.tasks(DAG, run)["build"] == ("success", 3)

    embedded = new_job(tmp_path / "embedded", landing)
    runs.run_all(embedded, DeliveryDays())
    expected = {**table_contents(embedded.lake), **gold_contents(embedded.lake)}
    built = new_job(lake, landing)
    assert {**table_contents(built.lake), **gold_contents(built.lake)} == expected
    assert {row.day for row in built.lake.read("gold.group_health").collect()} > {day}

    airflow.command(
        *("backfill", "create", "--dag-id", DAG, "--reprocess-behavior", "completed"),
        *("--from-date", str(min(_days(landing))), "--to-date", str(sorted(_days(landing))[1])),
    )
    states = wait_until_over(airflow, 3)
    assert list(states.values()) == ["success"] * 3
    # Once more each, and none met another one that was writing: they wait for the slot of their pool.
    for again in list(states)[:2]:
        tasks = airflow.tasks(DAG, again)
        assert {command: tasks[command] for command in COMMANDS} == dict.fromkeys(COMMANDS, ("success", 2))
    assert {**table_contents(built.lake), **gold_contents(built.lake)} == expected


def gold_of(lake: Path, day: dt.date) -> dict[str, list[str]]:
    """What the tables of gold have of one event day."""
    reader = LakeReader(load(lake=str(lake), environment={}))
    return {
        table: sorted(map(str, reader.rows(f"select * from gold.{table} where day = :day", day=day)))
        for table in ("group_health", "rebalances", "commit_gaps", "lag")
    }


def _days(landing: Path) -> set[str]:
    return {folder.name.removeprefix("date=") for folder in landing.glob("*/*/date=*")}


@pytest.mark.timeout(3600)
@pytest.mark.usefixtures("airflow_environment")
def test_a_halted_day_fails_its_build_sends_one_alert_and_leaves_gold_as_it_was(
    landing: Path, tmp_path: Path, new_job: Callable[..., Job]
) -> None:
    first, second, third = (deliver(number, landing) for number in range(3))
    shutil.rmtree(landing / "lag_metrics" / "cluster=recorded" / f"date={second}")
    expected_sources = 'expected_sources = ["offset_dumps", "lag_metrics"]'
    settings = tmp_path / "lagoon.toml"
    with webhook_server() as webhook, webhook_server() as lineage:
        settings.write_text(
            f'[clusters.recorded]\n{expected_sources}\n[alerts.conditions.halts]\nkinds = ["delivery_halted"]\n'
            f'[alerts.channels.oncall]\nwebhook = "{webhook.url}"\n'
        )
        lineage_url = lineage.url.partition("/hook")[0]
        with running_airflow(
            *(tmp_path, landing, first, third),
            LAGOON_CONFIG=str(settings),
            LAGOON_LINEAGE_URL=lineage_url,
            AIRFLOW__OPENLINEAGE__TRANSPORT=json.dumps({"type": "http", "url": lineage_url}),
        ) as airflow:
            airflow.unpause(DAG)
            wait_for(lambda: list(airflow.runs(DAG).values())[:1] == ["success"], seconds=_MOST_SECONDS_OF_A_RUN)
            gold = gold_of(tmp_path / "lake", first)
            assert all(gold.values())
            wait_for(lambda: list(airflow.runs(DAG).values())[1:2] == ["failed"], seconds=_MOST_SECONDS_OF_A_RUN)
            assert gold_of(tmp_path / "lake", second) == {table: [] for table in gold}
            assert gold_of(tmp_path / "lake", first) == gold
            states = wait_until_over(airflow, 3)
            runs_by_day = dict(zip((first, second, third), states, strict=True))
            assert list(states.values()) == ["success", "failed", "success"]
            assert {
                task: tried
                for task, (state, tried) in airflow.tasks(DAG, runs_by_day[second]).items()
                if state == "failed"
            } == {
                "build": 1,
                "report": 1,
                "layer_failed": 1,
            }
            links = airflow.links(DAG, runs_by_day[first], "report")
            assert links["Report of this day"].endswith(f"/reports?day={first}")
            assert links["Dashboards of this day"].endswith(f"/?day={first}")
        [alert] = [alert for each in webhook.accepted for alert in each.document["alerts"]]
    assert (alert["status"], alert["kind"], alert["last_day"]) == ("new", "delivery_halted", str(second))

    # Airflow sent its tasks, and Lagoon the layers that they ran.
    events = [each.document for each in lineage.accepted]
    tasks = {each["run"]["runId"] for each in events if each["job"]["name"] == f"{DAG}.build"}
    of_gold = [each["run"]["facets"]["parent"]["run"]["runId"] for each in events if each["job"]["name"] == "gold"]
    assert len(of_gold) == 2 * 3
    assert set(of_gold) == tasks

    lake = new_job(tmp_path / "lake", landing).lake
    built = {row.day for row in lake.read("gold.group_health").collect()}
    assert {first, third} <= built
