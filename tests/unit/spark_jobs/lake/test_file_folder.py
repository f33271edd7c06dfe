"""A folder of this machine and one in a store do the same."""

import datetime as dt
import re
from pathlib import Path

import pytest
from support.object_store import ObjectStore
from support.store_fixture import object_store, store_access
from support.stored_lakes import KilledError, killed_at

from spark_jobs.lake.file_folder import FileFolder
from spark_jobs.lake.lake_folder import file_folder
from spark_jobs.store.store_access import StoreAccess

__all__ = ["object_store", "store_access"]

HOSTILE = "cluster=a%2Fb 'c' \"d\"%252F=ü/part 1.parquet"


@pytest.fixture(params=["folder", "store"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> FileFolder:
    if request.param == "folder":
        return file_folder(str(tmp_path / "lake"))
    store, access = (request.getfixturevalue(name) for name in ("object_store", "store_access"))
    return file_folder(store.uri(f"folder-{re.sub(r'[^a-z]', '-', request.node.name)}"), access)


def test_files_are_listed_with_their_size_and_time(folder: FileFolder) -> None:
    assert folder.files() == []
    begin = dt.datetime.now(dt.UTC).replace(microsecond=0)
    for path in (HOSTILE, "_delta_log/0.json", "b"):
        folder.write(path, path.encode())

    found = folder.files()

    assert [(file.path, file.size) for file in found] == [
        (path, len(path.encode())) for path in ("_delta_log/0.json", "b", HOSTILE)
    ]
    assert all(begin <= file.modified_at <= dt.datetime.now(dt.UTC) for file in found)
    assert [file.modified_at for file in found] == [folder.modified_at(file.path) for file in found]
    assert folder.files("_delta_log") == found[:1]
    assert folder.files("nothing") == []
    assert folder.folders("") == sorted(["_delta_log", HOSTILE.partition("/")[0]])
    assert folder.below("_delta_log").read("0.json") == b"_delta_log/0.json"


def test_files_are_read_in_the_order_in_which_they_are_asked_for(folder: FileFolder) -> None:
    paths = [f"{number}.txt" for number in range(20)]
    for path in paths:
        folder.write(path, path.encode())

    assert list(folder.read_each([*paths, "gone"])) == [*(path.encode() for path in paths), None]


def test_a_file_is_created_once(folder: FileFolder) -> None:
    folder.write("_delta_log/0.json", b"")

    assert folder.create("_delta_log/1.json", b"first")
    assert not folder.create("_delta_log/1.json", b"second")

    assert folder.read("_delta_log/1.json") == b"first"
    assert [file.path for file in folder.files()] == ["_delta_log/0.json", "_delta_log/1.json"]


def test_deleted_files_are_gone_and_so_are_the_folders_that_they_leave_empty(folder: FileFolder) -> None:
    for path in (HOSTILE, "a/b/c", "a/d"):
        folder.write(path, b"")

    folder.delete([HOSTILE, "a/b/c", "a/none"])

    assert [file.path for file in folder.files()] == ["a/d"]
    assert folder.folders("") == ["a"]
    assert folder.folders("a") == []


def test_a_folder_in_a_store_is_changed_only_under_the_lease(
    object_store: ObjectStore, store_access: StoreAccess
) -> None:
    folder = file_folder(object_store.uri("lease-of-folder"), store_access, killed_at(1))
    folder.write("kept", b"first")

    for change in (
        lambda: folder.write("kept", b"second"),
        lambda: folder.create("new", b""),
        lambda: folder.delete(["kept"]),
        lambda: folder.below("kept").write("new", b""),
    ):
        with pytest.raises(KilledError):
            change()
    assert [(file.path, file.size) for file in folder.files()] == [("kept", 5)]


def test_a_file_that_only_its_owner_may_read_stays_so(tmp_path: Path) -> None:
    folder = file_folder(str(tmp_path))
    (tmp_path / "log").write_text("one\ntwo\n")
    (tmp_path / "log").chmod(0o600)

    folder.write("log", b"one\n")

    assert (tmp_path / "log").stat().st_mode & 0o777 == 0o600
