"""Logs in another time zone and files in the folder of another partition are named, and change nothing that they contradict."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from recorded.landing import arrange

import schemas
from spark_jobs.cluster_settings import Cluster
from spark_jobs.job import DeliveryDays, Job
from spark_jobs.lake import ledger
from spark_jobs.run import run_bronze
from spark_jobs.settings import SOURCES
from spark_jobs.silver.pipeline.build import SilverJob, build_silver

NewJob = Callable[..., Job]


def with_cluster(job: Job, **facts: object) -> Job:
    """A new job on the same lake with other settings."""
    return Job(replace(job.settings, clusters={"recorded": Cluster(**facts)}), job.progress)


def build(job: Job) -> tuple[str, ...]:
    """Builds bronze and silver, and returns the contradictions as sentences for the user."""
    run_bronze(job, DeliveryDays(), SOURCES)
    silver_job = SilverJob(job.lake, job.settings, job.validator(), job.run)
    return build_silver(silver_job, until=None, force=frozenset(), report=lambda _: None).contradictions


def rows(job: Job, table: str) -> list[str]:
    columns = [name for name in schemas.table(table).column_names if name not in ("rejected_at", "modified_at")]
    return sorted(map(str, job.lake.read(table).select(*columns).collect()))


@pytest.fixture(scope="module")
def broker_landing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log of a broker and the last copy of its offsets topic."""
    return arrange(
        "kafka-4.3",
        tmp_path_factory.mktemp("broker") / "landing",
        include=lambda path: path.parts[0] == "broker" or path.parts[:2] == ("offsets-raw", "final"),
        logs=True,
    )


def test_logs_in_another_zone_are_named_and_left_out_until_the_setting_is_right(
    new_job: NewJob, broker_landing: Path, tmp_path: Path
) -> None:
    """The broker's clock was UTC: the settings say that it was in Berlin, then that it was not."""
    right = new_job(tmp_path / "right", broker_landing)
    assert build(right) == ()
    wrong = with_cluster(new_job(tmp_path / "lake", broker_landing), timezone="Europe/Berlin")
    [sentence] = build(wrong)
    assert sentence.startswith(
        "The logs of broker in cluster recorded are 1 hour behind the group records of __consumer_offsets"
    )
    assert "clusters.recorded.timezone" in sentence

    def generations(job: Job) -> set[tuple[object, ...]]:
        rebalances = job.lake.read("silver.rebalances").where("array_contains(evidence, 'offsets_topic')")
        return {(*row,) for row in rebalances.select("group_id", "incarnation", "generation").collect()}

    assert len(generations(right)) > 5
    assert generations(wrong) == generations(right)
    assert wrong.lake.read("silver.rebalances").where("array_contains(evidence, 'broker_log')").isEmpty()
    sessions = wrong.lake.read("silver.member_sessions")
    assert sessions.count() == sessions.select("cluster", "group_id", "member_id").distinct().count()

    corrected = with_cluster(wrong)
    assert build(corrected) == ()
    for table in ("bronze.log_lines", "silver.group_events", "silver.rebalances", "silver.member_sessions"):
        assert rows(corrected, table) == rows(right, table), table
    # Nothing is left to do.
    entries = corrected.lake.read("quality.runs").count()
    build(with_cluster(wrong))
    assert corrected.lake.read("quality.runs").count() == entries


def test_a_segment_in_the_folder_of_another_partition_is_named_and_doubles_nothing(
    new_job: NewJob, small_landing: Path, tmp_path: Path
) -> None:
    undisturbed = new_job(tmp_path / "undisturbed", small_landing)
    assert build(undisturbed) == ()
    landing = tmp_path / "landing"
    shutil.copytree(small_landing, landing)
    folder = max(landing.rglob("__consumer_offsets-2"))
    misplaced = folder.with_name("__consumer_offsets-1")
    shutil.copytree(folder, misplaced)
    disturbed = new_job(tmp_path / "lake", landing)
    sentences = build(disturbed)
    files = sorted(str(file.relative_to(landing)) for file in misplaced.iterdir() if ".log" in file.name)
    assert files
    assert [
        sentence.partition(" lies in the folder of partition 1, and its groups belong to partition 2")[0]
        for sentence in sentences
    ] == files
    for table in (
        *("silver.offset_commits", "silver.group_generations", "silver.group_members", "silver.rebalances"),
        *("silver.member_sessions", "silver.positions"),
    ):
        assert rows(disturbed, table) == rows(undisturbed, table), table
    rejected = (
        disturbed.lake.read("quality.rejected_rows").where("source_file like '%__consumer_offsets-1/%'").collect()
    )
    assert rejected
    assert {row.source_file for row in rejected} <= set(files)
    commits = [row.rules for row in rejected if row.table_name == "silver.offset_commits"]
    assert commits
    assert all("group_is_in_its_own_partition" in rules for rules in commits)
    entries = ledger.newest(disturbed.lake, "silver").values()
    assert [e for e in entries if e.rows_in != e.rows_accepted + e.rows_rejected + e.rows_duplicate] == []
