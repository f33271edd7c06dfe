"""Files of collected segments grow; what a killed process wrote behind them is cut off."""

from pathlib import Path

import pytest
from support.object_store import ObjectStore

from spark_jobs.collect.collect_state import CollectedPartition
from spark_jobs.collect.landing_target import LARGEST_FILE, LocalTarget, landing_target, only_collector
from spark_jobs.errors import UserError
from spark_jobs.landing import list_landing
from spark_jobs.store.store_access import StoreAccess

FOLDER = "offset_dumps/cluster=eu/date=2026-11-20/collect/__consumer_offsets-3"


@pytest.fixture
def target(tmp_path: Path) -> LocalTarget:
    return LocalTarget(tmp_path, "eu")


def test_a_file_grows(target: LocalTarget) -> None:
    file = target.new_file(FOLDER, 17, "")
    target.write(file, 0, b"abc")
    assert target.growing_file(CollectedPartition(20, file, 3), FOLDER, 2) == CollectedPartition(20, file, 3)
    target.write(file, 3, b"de")
    assert file == f"{FOLDER}/00000000000000000017.log"
    assert target.read(file) == b"abcde"


def test_what_a_killed_process_wrote_is_written_over(target: LocalTarget) -> None:
    file = target.new_file(FOLDER, 17, "")
    target.write(file, 0, b"abc and something that the state does not know")
    assert target.growing_file(CollectedPartition(20, file, 3), FOLDER, 2) == CollectedPartition(20, file, 3)
    target.write(file, 3, b"de")
    assert target.read(file) == b"abcde"


def test_a_file_that_the_state_knew_before_it_was_made_is_made(target: LocalTarget) -> None:
    planned = CollectedPartition(17, f"{FOLDER}/00000000000000000017.log", 0)
    assert target.growing_file(planned, FOLDER, 2) == planned


def test_another_day_or_a_full_file_or_one_that_somebody_cut_begins_a_new_one(target: LocalTarget) -> None:
    file = target.new_file(FOLDER, 17, "")
    target.write(file, 0, b"abc")
    known = CollectedPartition(20, file, 3)
    assert target.growing_file(known, FOLDER.replace("-20/", "-21/"), 2) is None
    assert target.growing_file(known, FOLDER, LARGEST_FILE - 2) is None
    assert target.growing_file(CollectedPartition(20, file, 4), FOLDER, 2) is None
    assert target.growing_file(CollectedPartition(20, f"{FOLDER}/gone.log", 4), FOLDER, 2) is None
    assert target.growing_file(None, FOLDER, 2) is None


def test_no_file_is_ever_replaced_by_a_segment_with_the_same_first_offset(target: LocalTarget) -> None:
    first = target.new_file(FOLDER, 0, "")
    target.write(first, 0, b"of a cluster that was made anew since")
    assert target.new_file(FOLDER, 0, "") == f"{FOLDER}/00000000000000000000-1.log"


def test_nothing_of_the_state_is_listed_as_landed(target: LocalTarget, tmp_path: Path) -> None:
    target.replace(".collect/cluster=eu.json", b"{}")
    target.replace("lag_metrics/cluster=eu/date=2026-11-20/collect/end-offsets-20261120T120000Z.txt", b"a:0:1\n")
    target.write(target.new_file(FOLDER, 0, ""), 0, b"abc")
    with only_collector(str(tmp_path), "eu"):
        listed = list_landing(str(tmp_path))
    assert {file.origin for file in listed.files} == {"collect"}
    assert len(listed.files) == 2
    assert listed.skipped == ()


def test_a_landing_folder_with_nothing_but_the_state_is_empty(target: LocalTarget, tmp_path: Path) -> None:
    target.replace(".collect/cluster=eu.json", b"{}")
    with pytest.raises(UserError, match=r"there are no files in"):
        list_landing(str(tmp_path))


def test_one_process_at_a_time_collects_a_cluster(tmp_path: Path) -> None:
    with only_collector(str(tmp_path), "eu"):
        with only_collector(str(tmp_path), "us"):
            pass
        with pytest.raises(UserError, match="another process collects eu into"), only_collector(str(tmp_path), "eu"):
            pass
    with only_collector(str(tmp_path), "eu"):
        pass


def test_in_an_object_store_each_collection_is_an_object(
    object_store: ObjectStore, store_access: StoreAccess, request: pytest.FixtureRequest
) -> None:
    uri = object_store.uri(request.node.name)
    stored = landing_target(uri, "eu", store_access)
    file = stored.new_file(FOLDER, 17, "20261120T120000Z")
    stored.write(file, 0, b"abc")
    stored.replace(".collect/cluster=eu.json", b"{}")

    assert stored.growing_file(CollectedPartition(20, file, 3), FOLDER, 2) is None
    assert stored.read(".collect/cluster=eu.json") == b"{}"
    assert stored.read(".collect/cluster=us.json") is None
    assert [file.path for file in list_landing(uri, access=store_access).files] == [
        f"{FOLDER}/00000000000000000017-20261120T120000Z.log"
    ]
