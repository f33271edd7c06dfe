"""Rows in quarantine are judged again by today's rules: those that pass move to their tables, once."""

import datetime as dt
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from support.killed_commands import delta_commit, run_and_kill
from support.lake_contents import table_contents
from test_days_and_deliveries import commit, deliver, ingest_and_build, offset_commits

from expectations import gate
from spark_jobs.job import Job
from spark_jobs.lake.tables import Lake
from spark_jobs.quarantine.quarantine_replay import Replayed, days_in_quarantine, judge_again, replay
from spark_jobs.rules.trial import rule_on_trial, try_on_days

NewJob = Callable[..., Job]
DAY = dt.date(2026, 1, 2)
NAMES = ("committed_offset_is_not_negative",)
# A rule as it was yesterday: it rejected more.
STRICTER = tuple(
    replace(rule, broken_when="committed_offset < 40") if rule.name in NAMES else rule for rule in gate.RULES
)


@pytest.fixture(scope="module")
def landing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Commits of three days; one of the first and two of the second are below 40, and one is negative."""
    landing = tmp_path_factory.mktemp("quarantine") / "landing"
    number = 0
    for day, offsets in (("01", (30, 45, 46)), ("02", (47, 48, 49, 35, 38, 50, -1)), ("03", (60,))):
        first = number
        batches = [commit(first + n, f"2026-01-{day}T10:00:0{n}", offset) for n, offset in enumerate(offsets)]
        deliver(landing, f"2026-01-{day}", f"{first}.log", *batches)
        number += len(offsets)
    return landing


@pytest.fixture(scope="module")
def stricter_lake(new_job: NewJob, landing: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built by the stricter rule."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(gate, "RULES", STRICTER)
        job = new_job(tmp_path_factory.mktemp("stricter") / "lake", landing)
        ingest_and_build(job)
    return Path(job.settings.lake)


@pytest.fixture
def lake(stricter_lake: Path, tmp_path: Path) -> Path:
    return shutil.copytree(stricter_lake, tmp_path / "lake")


def quarantine(lake: Lake) -> set[tuple[object, ...]]:
    rows = lake.read("quality.rejected_rows").selectExpr(
        "day", "get_json_object(row_json, '$.committed_offset')", "rules[0]", "replayed_at is not null"
    )
    return {tuple(row) for row in rows.collect()}


def silver_contents(lake: Lake) -> dict[str, list[str]]:
    """Without the ledger, which counts runs, and the quarantine, which remembers them."""
    contents = table_contents(lake, ("silver",))
    return {name: rows for name, rows in contents.items() if name.startswith("silver.")}


def test_a_replay_moves_the_rows_that_pass_now_and_keeps_the_others(
    new_job: NewJob, landing: Path, lake: Path, tmp_path: Path
) -> None:
    job = new_job(lake, landing)
    days = days_in_quarantine(job.lake, DAY, None, Console(quiet=True))
    assert days == [("eu", DAY)]
    rule = NAMES
    expected = [
        Replayed("eu", "silver.offset_commits", rule, "accepted", (), 2),
        Replayed("eu", "silver.offset_commits", rule, "rejected", rule, 1),
    ]
    before = table_contents(job.lake)
    assert judge_again(job.lake, job.settings, days, None) == expected
    assert table_contents(job.lake) == before

    assert replay(job, days, NAMES[0]) == expected
    assert quarantine(job.lake) == {
        (dt.date(2026, 1, 1), "30", rule[0], False),
        (DAY, "35", rule[0], True),
        (DAY, "38", rule[0], True),
        (DAY, "-1", rule[0], False),
    }
    assert offset_commits(job, "day", "committed_offset", "previous_committed_offset") == [
        (dt.date(2026, 1, 1), 45, None),
        (dt.date(2026, 1, 1), 46, 45),
        (DAY, 47, 46),
        (DAY, 48, 47),
        (DAY, 49, 48),
        (DAY, 35, 49),
        (DAY, 38, 35),
        (DAY, 50, 38),
        (dt.date(2026, 1, 3), 60, 50),
    ]

    # Once more changes nothing, and a lake that always had today's rules has the same rows.
    contents = table_contents(job.lake)
    assert replay(job, days, None) == expected[1:]
    assert table_contents(job.lake) == contents
    replay(job, [("eu", dt.date(2026, 1, 1))], None)
    fresh = new_job(tmp_path / "fresh", landing)
    ingest_and_build(fresh)
    assert silver_contents(job.lake) == silver_contents(fresh.lake)


@pytest.mark.slow
def test_a_replay_that_was_killed_half_way_and_done_again_equals_one_that_was_not(
    new_job: NewJob, landing: Path, lake: Path, tmp_path: Path
) -> None:
    undisturbed = new_job(shutil.copytree(lake, tmp_path / "undisturbed"), landing)
    days = [("eu", DAY)]
    replay(undisturbed, days, None)

    commits = len(list((lake / "silver/offset_commits/_delta_log").glob("*.json")))
    command = ["quarantine", "replay", "--day", str(DAY)]
    run_and_kill(command, lake, landing, when_exists=delta_commit(lake, "silver.offset_commits", commits))
    again = new_job(lake, landing)
    replay(again, days, None)
    assert quarantine(again.lake) == quarantine(undisturbed.lake)
    assert silver_contents(again.lake) == silver_contents(undisturbed.lake)


def test_what_is_kept_of_a_rejected_row_does_not_depend_on_which_days_were_built_together(
    new_job: NewJob, tmp_path: Path
) -> None:
    landing = tmp_path / "landing"
    one_by_one, together = (new_job(tmp_path / name, landing) for name in ("one-by-one", "together"))
    for number, day in enumerate(("2026-01-01", "2026-01-02")):
        # The last commit of the first day and the first of the second are rejected.
        offsets = (100, -5) if number == 0 else (-5, 200)
        records = (commit(2 * number + i, f"{day}T10:00:0{i}", offset) for i, offset in enumerate(offsets))
        deliver(landing, day, f"{2 * number}.log", *records)
        ingest_and_build(one_by_one)
    ingest_and_build(together)
    assert one_by_one.lake.read("quality.rejected_rows").count() == 2
    assert table_contents(together.lake, ("quality",)) == table_contents(one_by_one.lake, ("quality",))


def test_a_rule_is_tried_on_days_that_were_built_and_nothing_is_written(
    new_job: NewJob, landing: Path, lake: Path
) -> None:
    job = new_job(lake, landing)
    files = sorted(lake.rglob("*"))

    def tried(name: str, broken_when: str | None = None, table: str | None = None) -> list[tuple[object, ...]]:
        rules = rule_on_trial(name, broken_when, table)
        found = try_on_days(job.lake, job.settings, rules, dt.date(2026, 1, 1), DAY)
        return [row[2:6] for row in found]

    first = ("eu", dt.date(2026, 1, 1))
    assert tried(NAMES[0]) == [(*first, 3, 0), ("eu", DAY, 7, 1)]
    assert tried(NAMES[0], "committed_offset < 36") == [(*first, 3, 1), ("eu", DAY, 7, 2)]
    # A new rule warns: it judges what other rules accept.
    assert tried("commits_are_even", "committed_offset % 2 <> 0", "silver.offset_commits") == [
        (*first, 3, 1),
        ("eu", DAY, 6, 3),
    ]
    # A rule on the finished table.
    assert tried("commit_moves_forward") == [(*first, 1, 0), ("eu", DAY, 4, 0)]
    assert sorted(lake.rglob("*")) == files
