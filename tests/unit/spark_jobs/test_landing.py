import datetime as dt
import os
from pathlib import Path

import pytest

from spark_jobs.errors import UserError
from spark_jobs.landing import OUTSIDE_OF_LAYOUT, list_landing


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
    assert [(file.path, file.reason) for file in found.skipped] == [
        ("lag_metrics/a.txt", OUTSIDE_OF_LAYOUT),
        ("lag_metrics/cluster=eu/date=yesterday/a.txt", OUTSIDE_OF_LAYOUT),
    ]


def test_an_empty_landing_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Deliver files as"):
        list_landing(str(tmp_path))
    with pytest.raises(UserError, match="does not exist"):
        list_landing(str(tmp_path / "none"))


def test_files_only_in_wrong_places_are_an_error_that_names_the_first(tmp_path: Path) -> None:
    landing = delivered(tmp_path, "lag_metrics/b.txt", "lag_metrics/a.txt")
    with pytest.raises(UserError, match=r"2 skipped, the first is lag_metrics/a\.txt, which is not in <source>"):
        list_landing(str(landing))


def test_links_are_skipped_unless_they_are_to_be_followed_and_then_never_in_a_circle(tmp_path: Path) -> None:
    day = "lag_metrics/cluster=eu/date=2026-02-01"
    landing = delivered(tmp_path / "landing", f"{day}/a.txt")
    elsewhere = delivered(tmp_path / "elsewhere", "secret.txt")
    (landing / day / "link.txt").symlink_to(elsewhere / "secret.txt")
    (landing / day / "circle").symlink_to(landing / day)
    (landing / day / "folder").symlink_to(elsewhere)

    skipping = list_landing(str(landing))
    assert [file.path for file in skipping.files] == [f"{day}/a.txt"]
    assert [file.path for file in skipping.skipped] == [f"{day}/{name}" for name in ("circle", "folder", "link.txt")]
    assert all("link" in file.reason for file in skipping.skipped)

    following = list_landing(str(landing), follow_links=True)
    assert [file.path for file in following.files] == [f"{day}/{p}" for p in ("a.txt", "folder/secret.txt", "link.txt")]
    assert [file.path for file in following.skipped] == [f"{day}/circle"]


def test_a_source_that_is_a_link_is_skipped_too(tmp_path: Path) -> None:
    landing = delivered(tmp_path / "landing", "lag_metrics/cluster=eu/date=2026-02-01/a.txt")
    elsewhere = delivered(tmp_path / "elsewhere", "cluster=eu/date=2026-02-01/secret.txt")
    (landing / "group_logs").symlink_to(elsewhere)
    assert [(file.path, "link" in file.reason) for file in list_landing(str(landing)).skipped] == [("group_logs", True)]
    assert len(list_landing(str(landing), follow_links=True).files) == 2


def test_a_cluster_whose_name_no_folder_can_hold_is_skipped(tmp_path: Path) -> None:
    longest = "a" * 247
    landing = delivered(tmp_path, f"lag_metrics/cluster={longest}/date=2026-02-01/a.txt")
    # A quote is escaped by three bytes in the lake.
    delivered(tmp_path, f"lag_metrics/cluster={chr(39) * 83}/date=2026-02-01/a.txt")
    found = list_landing(str(landing))
    assert [file.cluster for file in found.files] == [longest]
    assert [file.reason for file in found.skipped] == ["whose cluster has too long a name for a folder of the lake"]


def test_what_has_a_name_that_is_not_utf_8_or_is_no_file_is_skipped(tmp_path: Path) -> None:
    day = "lag_metrics/cluster=eu/date=2026-02-01"
    landing = delivered(tmp_path, f"{day}/a.txt")
    (landing / day / os.fsdecode(b"\xff.txt")).write_text("x")
    os.mkfifo(landing / day / "pipe")
    found = list_landing(str(landing))
    assert [file.path for file in found.files] == [f"{day}/a.txt"]
    assert sorted((file.path, file.reason) for file in found.skipped) == [
        (f"{day}/\\xff.txt", "whose name is not valid UTF-8"),
        (f"{day}/pipe", "which is no file"),
    ]


@pytest.mark.parametrize("path", ["server.log", "logs/broker-1/server.log", "cluster=eu/date=2026-02-01/server.log"])
def test_files_that_lie_in_the_folder_of_no_source_are_an_error_that_names_the_first(tmp_path: Path, path: str) -> None:
    with pytest.raises(UserError, match=rf"1 skipped, the first is {path}, which is not in <source>/cluster=<name>/"):
        list_landing(str(delivered(tmp_path, path, ".hidden")))


@pytest.mark.parametrize("date", ["0001-01-01", "1970-01-01", "9999-12-31"])
def test_a_day_of_delivery_without_days_around_it_is_none(tmp_path: Path, date: str) -> None:
    landing = delivered(
        tmp_path, f"lag_metrics/cluster=eu/date={date}/a.txt", "lag_metrics/cluster=eu/date=2026-02-01/a.txt"
    )
    found = list_landing(str(landing))
    assert [file.delivered_on for file in found.files] == [dt.date(2026, 2, 1)]
    assert [file.reason for file in found.skipped] == [OUTSIDE_OF_LAYOUT]
