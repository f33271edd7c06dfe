"""What a report says about the rules that judged its days."""

import datetime as dt
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from rich.console import Console

from spark_jobs.progress import Progress
from spark_jobs.report.lake_reader import ClusterDay, LakeReader
from spark_jobs.report.rule_verdicts import print_rules
from spark_jobs.settings import load

DAY, NEXT_DAY = dt.date(2026, 11, 18), dt.date(2026, 11, 19)


def result(run: str, rule: str, action: str, checked: int, broken: int, day: dt.date = DAY) -> dict[str, object]:
    about = {"cluster": "eu", "day": day, "table_name": "silver.offset_commits", "rule": rule, "action": action}
    return {"run_id": run, **about, "checked": checked, "broken": broken, "passed": not broken}


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> LakeReader:
    uri = str(tmp_path_factory.mktemp("rules") / "lake")
    rows = [
        result("1", "commit_moves_forward", "warn", 3000, 12),
        result("1", "commit_time_is_possible", "reject", 3000, 2),
        result("1", "commit_names_a_real_partition", "reject", 3000, 9),
        # A later run found less, and one rule could judge no row.
        result("2", "commit_names_a_real_partition", "reject", 3001, 1),
        result("2", "one_record_per_log_position", "reject", 0, 0),
        result("2", "commit_moves_forward", "warn", 100, 0, NEXT_DAY),
        *(result("3", f"rule_{number}", "warn", 10, 1, dt.date(2026, 11, 20)) for number in range(11)),
    ]
    write_deltalake(f"{uri}/quality/rule_results", pa.Table.from_pylist(rows))
    return LakeReader(load(lake=uri, environment={}))


def printed(reader: LakeReader, days: set[ClusterDay], file: Path) -> list[str]:
    with file.open("w+") as output:
        print_rules(reader, days, Progress(Console(file=output), Console(file=output)))
        output.seek(0)
        return output.read().splitlines()


def test_rules_that_rows_break_are_printed_worst_first_as_the_newest_run_found_them(
    reader: LakeReader, tmp_path: Path
) -> None:
    assert printed(reader, {("eu", DAY)}, tmp_path / "printed") == [
        "3 rules judged these days; rows break 3 of them.",
        "  commit_time_is_possible  2026-11-18 eu, 2 of 3,000 rows of silver.offset_commits: rejected",
        "  commit_names_a_real_partition  2026-11-18 eu, 1 of 3,001 rows of silver.offset_commits: rejected",
        "  commit_moves_forward  2026-11-18 eu, 12 of 3,000 rows of silver.offset_commits: kept",
    ]


def test_rules_that_found_nothing_are_counted(reader: LakeReader, tmp_path: Path) -> None:
    assert printed(reader, {("eu", NEXT_DAY)}, tmp_path / "printed") == ["1 rule judged these days; no row breaks one."]


def test_days_that_nothing_judged_have_no_line(reader: LakeReader, tmp_path: Path) -> None:
    assert printed(reader, {("eu", dt.date(2026, 11, 1))}, tmp_path / "printed") == []
    assert printed(reader, set(), tmp_path / "printed") == []


def test_many_broken_rules_are_shortened(reader: LakeReader, tmp_path: Path) -> None:
    lines = printed(reader, {("eu", dt.date(2026, 11, 20))}, tmp_path / "printed")
    assert len(lines) == 10
    assert lines[-1] == "  … and 3 more: see quality.rule_results"
