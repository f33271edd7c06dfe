"""A real run sends to a real HTTP server how the tables follow from landing, table by table and, for gold, column by column."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from support.free_ports import free_ports
from support.webhook_server import webhook_server

from spark_jobs import run as runs
from spark_jobs.job import DeliveryDays, Job
from spark_jobs.progress import Progress
from spark_jobs.settings import load

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("spark")]

_TASK = "airflow/telemetry_daily.gold/0192f2d0-0000-7000-8000-000000000001"


def job_with_lineage(folder: Path, landing: Path, url: str) -> Job:
    environment = {"LAGOON_LINEAGE_URL": url}
    settings = load(landing=str(landing), lake=str(folder / "lake"), environment=environment)
    return Job(settings, Progress(Console(quiet=True), Console(quiet=True)))


def by_table(events: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    return {event["job"]["name"]: event for event in events if event["outputs"]}


def test_tables_are_sent_with_what_they_come_from(
    small_landing: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENLINEAGE_PARENT_ID", _TASK)
    with webhook_server() as server:
        job = job_with_lineage(tmp_path, small_landing, server.url.partition("/hook")[0])
        runs.run_all(job, DeliveryDays())
        events = [each.document for each in server.accepted]
    assert not job.lineage_failed
    lake = f"{tmp_path}/lake"
    tables = by_table(events)

    assert [dataset["name"] for dataset in tables["bronze.offset_records"]["inputs"]] == [
        f"{small_landing}/offset_dumps"
    ]
    assert [dataset["name"] for dataset in tables["silver.offset_commits"]["inputs"]] == [
        f"{lake}/bronze/offset_records"
    ]
    [commits] = tables["silver.offset_commits"]["outputs"]
    assert commits["outputFacets"]["outputStatistics"]["rowCount"] == job.lake.read("silver.offset_commits").count()
    gaps = tables["gold.commit_gaps"]
    assert f"{lake}/silver/offset_commits" in {dataset["name"] for dataset in gaps["inputs"]}
    [output] = gaps["outputs"]
    assert output["name"] == f"{lake}/gold/commit_gaps"
    committed = output["facets"]["columnLineage"]["fields"]["committed_offset"]["inputFields"]
    assert (f"{lake}/silver/offset_commits", "committed_offset") in {
        (each["name"], each["field"]) for each in committed
    }

    # Every table follows from landing, and every column is one of its table.
    written = {dataset["name"] for event in tables.values() for dataset in event["outputs"]}
    columns = {
        dataset["name"]: {column["name"] for column in dataset["facets"]["schema"]["fields"]}
        for event in tables.values()
        for dataset in event["outputs"]
    }
    for event in tables.values():
        assert event["inputs"], event["job"]
        for dataset in event["inputs"]:
            assert dataset["name"] in written or dataset["name"].startswith((str(small_landing), f"{lake}/")), dataset
        for dataset in event["outputs"]:
            lineage = dataset["facets"].get("columnLineage", {"fields": {}})["fields"]
            for column, origins in lineage.items():
                assert column in columns[dataset["name"]]
                for origin in origins["inputFields"]:
                    assert origin["field"] in columns.get(origin["name"], {origin["field"]}), (dataset["name"], origin)

    layers = [event for event in events if not event["outputs"]]
    assert [(event["job"]["name"], event["eventType"]) for event in layers] == [
        (layer, state) for layer in ("bronze", "silver", "gold") for state in ("START", "COMPLETE")
    ]
    assert {event["run"]["facets"]["parent"]["job"]["name"] for event in layers} == {"telemetry_daily.gold"}
    of_gold = next(event["run"]["runId"] for event in layers if event["job"]["name"] == "gold")
    assert gaps["run"]["facets"]["parent"]["run"]["runId"] == of_gold


def test_a_server_that_is_gone_is_said_once_and_fails_nothing(
    small_landing: Path, tmp_path: Path, new_job: Callable[..., Job]
) -> None:
    [port] = free_ports(1)
    job = job_with_lineage(tmp_path, small_landing, f"http://127.0.0.1:{port}")
    said: list[str] = []
    job.progress.warn = said.append  # type: ignore[method-assign]
    runs.run_bronze(job, DeliveryDays(), ["offset_dumps"])
    runs.run_silver(job, DeliveryDays())
    [sentence] = [each for each in said if "ineage" in each]
    assert sentence.startswith(f"Lineage could not be sent to http://127.0.0.1:{port} (")
    assert not job.failed
    assert new_job(tmp_path / "lake", small_landing).lake.read("silver.offset_commits").count() > 0
