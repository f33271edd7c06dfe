import datetime as dt
from pathlib import Path

import pytest

from spark_jobs.errors import UserError
from spark_jobs.landing import list_landing


def delivered(landing: Path, *paths: str) -> Path:
    for path in paths:
        (landing / path).parent.mkdir(parents=True, exist_ok=True)
        (landing / path).write_text("x")
    return landing


def test_files_are_listed_with_source_cluster_and_day_and_sorted_by_day(tmp_path: Path) -> None:
    landing = delivered(
        tmp_path,
        "lag_metrics/cluster=eu/date=2026-02-01/a.txt",
        "offset_dumps/cluster=eu/date=2026-01-31/broker-1/__consumer_offsets-3/0.log",
    )
    found = list_landing(str(landing)).files
    assert [(f.delivered_on, f.source, f.cluster, f.origin) for f in found] == [
        (dt.date(2026, 1, 31), "offset_dumps", "eu", "broker-1"),
        (dt.date(2026, 2, 1), "lag_metrics", "eu", None),
    ]


def test_files_outside_of_the_layout_are_misplaced_and_hidden_files_are_ignored(tmp_path: Path) -> None:
    landing = delivered(
        tmp_path,
        "lag_metrics/cluster=eu/date=2026-02-01/a.txt",
        "lag_metrics/cluster=eu/date=yesterday/a.txt",
        "lag_metrics/a.txt",
        "lag_metrics/cluster=eu/date=2026-02-01/.a.txt.swp",
        "lag_metrics/cluster=eu/date=2026-02-01/_SUCCESS",
    )
    found = list_landing(str(landing))
    assert len(found.files) == 1
    assert found.misplaced == ("lag_metrics/a.txt", "lag_metrics/cluster=eu/date=yesterday/a.txt")


def test_an_empty_landing_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Deliver files as"):
        list_landing(str(tmp_path))
    with pytest.raises(UserError, match="does not exist"):
        list_landing(str(tmp_path / "none"))
