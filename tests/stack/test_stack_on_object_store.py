"""The stack with landing and lake in its object store: driver and workers share nothing but the store, and things go wrong."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.container_engine import ContainerEngine
from support.lagoon_stack import LagoonStack
from support.local_airflow import wait_for
from support.stack_days import FIRST_DAY, StackDay, deliver, run_scheduled, run_triggered
from support.stack_faults import (
    WORKER,
    postgres_is_restarted,
    store_is_gone_for_a_minute,
    worker_has_no_network_for_30_seconds,
    worker_is_killed,
)
from support.stack_rights import published, require_few_rights, secrets_in, services_that_know
from support.stack_store import LAKE, SETTINGS, access, deliver_to_store, folder_in_store, stored_tables
from support.stored_tables import tables

from spark_jobs.errors import UserError
from spark_jobs.store.object_folder import ObjectFolder

pytestmark = [pytest.mark.stack, pytest.mark.timeout(3600)]

LAGOON = Path(sys.executable).parent / "lagoon"
COMMANDS = ("bronze", "build", "report", "alert")
MASTER = "spark://spark-master:7077"
# Of one run each: while it writes silver, and while it writes gold.
FAULTS = (
    (store_is_gone_for_a_minute, worker_has_no_network_for_30_seconds),
    (worker_is_killed, postgres_is_restarted),
)
# The names of the workers' containers.
WORKERS = (WORKER, f"{WORKER}-2")


@pytest.fixture(scope="module")
def delivered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    landing = tmp_path_factory.mktemp("for-the-store") / "landing"
    deliver(FIRST_DAY, landing)
    return landing


@pytest.fixture(scope="module")
def on_store(
    engine: ContainerEngine,
    images: None,  # noqa: ARG001
    checkout: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[LagoonStack]:
    """The stack with an object store, a master and two workers of one core each, healthy, with nothing delivered."""
    engine.build(checkout, "deploy/store", "lagoon-store:latest")
    stack = LagoonStack(
        engine,
        checkout,
        tmp_path_factory.mktemp("not-used"),
        project="on-store",
        COMPOSE_PROFILES="store,spark-store",
        LAGOON_SPARK_MASTER=MASTER,
        LAGOON_SPARK_DRIVER_MEMORY="1g",
        LAGOON_FIRST_DAY=FIRST_DAY,
        LAGOON_LAST_DAY=FIRST_DAY,
        LAGOON_RETRY_MINUTES="0.2",
        **SETTINGS,
    )
    try:
        stack.up("--scale", f"{WORKER}=2")
        yield stack
    finally:
        stack.down()


@pytest.fixture(scope="module")
def stored_day(on_store: LagoonStack, delivered: Path) -> StackDay:
    deliver_to_store(on_store, delivered)
    return run_scheduled(on_store)


@pytest.fixture(scope="module")
def embedded(delivered: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The tables that the same commands build in a folder of this machine."""
    lake = tmp_path_factory.mktemp("embedded") / "lake"
    for name in COMMANDS:
        command = [LAGOON, name, "--day", FIRST_DAY, "--landing", delivered, "--lake", lake]
        subprocess.run(command, check=True, capture_output=True)
    contents = tables(str(lake), {}, lake)
    assert len(contents["gold.group_health"]) > 5
    assert len(contents["silver.offset_commits"]) > 50
    return contents


def without_ledger(contents: dict[str, list[str]]) -> dict[str, list[str]]:
    """Without what says how often something was tried."""
    return {name: rows for name, rows in contents.items() if name != "quality.runs"}


def test_every_service_is_healthy_before_anything_was_delivered(on_store: LagoonStack) -> None:
    airflow = {"airflow-api", "airflow-scheduler", "airflow-dag-processor", "postgres"}
    assert set(on_store.containers()) == {*airflow, "dashboards", "sql", "store", "spark-master", *WORKERS}
    assert on_store.ask_dashboards("/api/choices", on_store.secrets["DASHBOARD_TOKEN"])[0] == 200


def test_airflow_runs_a_day_delivered_into_the_store_on_both_workers(
    on_store: LagoonStack, stored_day: StackDay
) -> None:
    assert stored_day.state == "success", stored_day.log[-5000:]
    assert {stored_day.tasks[name] for name in COMMANDS} == {("success", 1)}
    for worker in WORKERS:
        container = on_store.containers()[worker]
        assert "Asked to launch executor" in on_store.engine.docker("logs", container["Id"]), worker
        # A volume of its own.
        assert [mount["Destination"] for mount in container["Mounts"]] == ["/scratch"]
        assert container["Mounts"][0]["Name"] not in str(on_store.containers()["airflow-scheduler"]["Mounts"])


def test_tables_equal_those_of_an_embedded_run(
    on_store: LagoonStack,
    stored_day: StackDay,  # noqa: ARG001
    embedded: dict[str, list[str]],
) -> None:
    found = stored_tables(on_store, LAKE)
    assert found.keys() == embedded.keys()
    assert {name for name in embedded if embedded[name] != found[name]} == set()


def test_dashboards_and_sql_answer_from_the_store(on_store: LagoonStack, stored_day: StackDay) -> None:  # noqa: ARG001
    _, *rows = on_store.sql("select group_id, kind, severity from gold.findings order by 1, 2")
    assert any(row.startswith("backfill-job,") for row in rows)
    path = f"/api/panel/today/findings?cluster=recorded&day={FIRST_DAY}"
    status, answer = on_store.ask_dashboards(path, on_store.secrets["DASHBOARD_TOKEN"])
    assert status == 200
    assert "backfill-job" in answer


def test_each_user_of_the_store_may_do_what_it_has_to(on_store: LagoonStack, stored_day: StackDay) -> None:  # noqa: ARG001
    allowed = set()
    for user in ("delivery", "pipeline", "reader"):
        for bucket in ("landing", "lake"):
            folder = ObjectFolder(f"s3a://{bucket}/tried", access(on_store, user))
            allowed |= {(user, "reads", bucket)} if is_allowed(folder.has_any) else set()
            allowed |= {(user, "writes", bucket)} if is_allowed(lambda: folder.write("object", b"")) else set()  # noqa: B023
    assert allowed == {
        ("delivery", "reads", "landing"),
        ("delivery", "writes", "landing"),
        ("pipeline", "reads", "landing"),
        ("pipeline", "reads", "lake"),
        ("pipeline", "writes", "lake"),
        ("reader", "reads", "lake"),
    }
    with pytest.raises(AssertionError, match=r"AccessDenied|Access Denied|403"):
        on_store.sql("delete from gold.findings")


def is_allowed(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except UserError as error:
        if "refuses the keys, or what they may do" in str(error):
            return False
        raise
    return True


def test_the_store_and_its_workers_have_few_rights_and_no_secret_of_others(
    on_store: LagoonStack, stored_day: StackDay
) -> None:
    require_few_rights(on_store)
    ports = sorted(on_store.ports[name] for name in ("AIRFLOW_PORT", "DASHBOARD_PORT", "SQL_PORT", "STORE_PORT"))
    assert published(on_store) == [("127.0.0.1", port) for port in ports]
    known = services_that_know(on_store)
    assert known["STORE_DELIVERY_SECRET"] == {"store"}
    assert known["STORE_PIPELINE_SECRET"] == {"airflow-scheduler", "store"}
    assert known["STORE_READER_SECRET"] == {"dashboards", "sql", "store"}
    assert not {worker for services in known.values() for worker in services} & {*WORKERS, "spark-master"}
    assert secrets_in(on_store, [stored_day.log]) == set()


@pytest.mark.parametrize("faults", FAULTS, ids=lambda faults: "-and-".join(fault.__name__ for fault in faults))
def test_a_run_in_which_something_fails_ends_with_the_same_tables(
    faults: tuple[Callable[[LagoonStack], None], ...],
    on_store: LagoonStack,
    stored_day: StackDay,  # noqa: ARG001
    embedded: dict[str, list[str]],
) -> None:
    lake = f"s3a://lake/{faults[0].__name__}"

    def go_wrong() -> None:
        for layer, fault in zip(("silver", "gold"), faults, strict=True):
            folder = folder_in_store(on_store, f"{lake}/{layer}")
            wait_for(lambda: any(folder.glob("**/*.parquet")), seconds=1500)  # noqa: B023
            fault(on_store)

    day = run_triggered(on_store, FIRST_DAY, meanwhile=go_wrong, lake=lake)

    assert day.state == "success", day.log[-5000:]
    found, wanted = without_ledger(stored_tables(on_store, lake)), without_ledger(embedded)
    assert found.keys() == wanted.keys()
    assert {name for name in wanted if wanted[name] != found[name]} == set()
