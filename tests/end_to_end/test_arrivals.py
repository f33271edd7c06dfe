"""A day is compared with the same weekdays before: what fell silent, misses hours or has an unusual volume is found by rules."""

import datetime as dt
from collections.abc import Callable
from pathlib import Path

import pytest

from spark_jobs import run as runs
from spark_jobs.job import DeliveryDays, Job
from spark_jobs.rules.trial import rule_on_trial, try_on_days

NewJob = Callable[..., Job]
DAY = dt.date(2026, 1, 23)
FRIDAYS = [DAY - dt.timedelta(days) for days in (21, 14, 7)]


def report(landing: Path, origin: str, day: dt.date, hour: int, kind: str, partitions: int) -> None:
    """What kafka-get-offsets printed."""
    folder = landing / "lag_metrics" / "cluster=eu" / f"date={day}" / origin
    folder.mkdir(parents=True, exist_ok=True)
    lines = "".join(f"t:{partition}:{hour}\n" for partition in range(partitions))
    (folder / f"{kind}-offsets-{day:%Y%m%d}T{hour:02}0000Z.txt").write_text(lines)


@pytest.fixture(scope="module")
def job(new_job: NewJob, tmp_path_factory: pytest.TempPathFactory) -> Job:
    """Two origins on three Fridays; on the fourth one of them delivers nothing, and the other one not the same."""
    folder = tmp_path_factory.mktemp("arrivals")
    for day in FRIDAYS:
        for origin in ("changed", "mute"):
            report(folder / "landing", origin, day, 0, "start", 30)
            for hour in range(24):
                report(folder / "landing", origin, day, hour, "end", 30)
    for hour in set(range(24)) - {10, 11}:
        report(folder / "landing", "changed", DAY, hour, "end", 70)
    job = new_job(folder / "lake", folder / "landing")
    runs.run_bronze(job, DeliveryDays(), ["lag_metrics"])
    runs.run_silver(job, DeliveryDays())
    runs.run_gold(job, DeliveryDays())
    assert not job.failed
    return job


def test_each_rule_on_arrivals_finds_what_is_unlike_the_same_weekdays_before(job: Job) -> None:
    results = job.lake.read("quality.rule_results").where("table_name = 'gold.arrivals'").collect()
    assert {row.day for row in results} == {*FRIDAYS, DAY}
    assert {row.checked for row in results if row.day != DAY} == {0}
    assert {row.rule: (row.checked, row.broken, row.action) for row in results if row.day == DAY} == {
        "nothing_fell_silent": (4, 1, "warn"),
        "no_hour_is_missing": (2, 1, "warn"),
        "volume_is_as_usual": (2, 1, "warn"),
        "as_much_is_understood_as_usual": (2, 0, "warn"),
        "metrics_keep_their_values": (1, 1, "warn"),
    }


def test_what_breaks_a_rule_on_arrivals_is_a_finding_and_has_data_docs(job: Job) -> None:
    kinds = ("fell_silent", "hours_missing", "unusual_volume", "less_understood", "metrics_changed")
    findings = job.lake.read("gold.findings").where(f"day = date'{DAY}' and kind in {kinds}").collect()
    assert {(row.kind, row.subject, row.evidence) for row in findings} == {
        (
            "fell_silent",
            "lag_metrics mute",
            "No record since 2026-01-17, although records came on each of the 7 days or of the three same weekdays before",
        ),
        ("hours_missing", "lag_metrics", "UTC hours: 10, 11"),
        (
            "unusual_volume",
            "lag_metrics changed",
            "1,540 records before 24:00; on the same weekday of the weeks before 750, and 375 to 1,125 would be usual",
        ),
        ("metrics_changed", "lag_metrics changed", "No longer: get_offsets log_offset log_start_offset"),
    }
    docs = Path(job.settings.lake) / "data_docs"
    assert (docs / str(DAY) / "arrivals-cluster=eu" / "index.html").is_file()
    assert "eu: what arrived</a>" in (docs / "index.html").read_text("utf-8")


def test_a_rule_on_arrivals_can_be_tried(job: Job) -> None:
    rules = rule_on_trial("volume_is_as_usual", "records > 1000", None)
    assert [row[2:6] for row in try_on_days(job.lake, job.settings, rules, FRIDAYS[-1], DAY)] == [
        ("eu", FRIDAYS[-1], 4, 2),
        ("eu", DAY, 4, 3),
    ]
