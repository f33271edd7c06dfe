import dataclasses
import io

import pytest
from support.object_store import ObjectStore

from spark_jobs.errors import UserError
from spark_jobs.store.object_folder import ObjectFolder
from spark_jobs.store.object_stream import ObjectStream
from spark_jobs.store.store_access import StoreAccess, StoreKeys


@pytest.fixture
def folder(object_store: ObjectStore, store_access: StoreAccess, request: pytest.FixtureRequest) -> ObjectFolder:
    return ObjectFolder(object_store.uri(request.node.name), store_access)


def test_an_object_is_written_and_read_as_a_whole(folder: ObjectFolder) -> None:
    assert folder.read("a/b c%41.txt") is None
    assert folder.modified_at("a/b c%41.txt") is None

    folder.write("a/b c%41.txt", b"one")
    folder.write("a/b c%41.txt", b"two")

    found = folder.read("a/b c%41.txt")
    assert found is not None
    assert found.content == b"two"
    assert folder.modified_at("a/b c%41.txt") == found.modified_at


def test_only_one_of_several_writers_creates_an_object(folder: ObjectFolder) -> None:
    version = folder.write_if("x", b"first", None)

    assert version is not None
    assert folder.write_if("x", b"second", None) is None
    found = folder.read("x")
    assert found is not None
    assert (found.content, found.version) == (b"first", version)


def test_an_object_is_replaced_only_if_it_is_still_the_one_that_was_read(folder: ObjectFolder) -> None:
    first = folder.write_if("x", b"first", None)
    second = folder.write_if("x", b"second", first)

    assert second is not None
    assert folder.write_if("x", b"third", first) is None


def test_a_write_whose_answer_was_lost_is_not_taken_for_that_of_another(folder: ObjectFolder) -> None:
    version = folder.write_if("x", b"mine", None)

    assert folder.write_if("x", b"mine", None) == version


def test_folders_are_listed_without_what_is_in_them(folder: ObjectFolder) -> None:
    for path in ("gold/a/_delta_log/0.json", "gold/a/part.parquet", "gold/b c/x", "silver/d/x", "gold/file"):
        folder.write(path, b"")

    assert folder.folders("gold/") == ["a", "b c"]
    assert folder.paths("gold/a/") == ["gold/a/_delta_log/0.json", "gold/a/part.parquet"]
    folder.delete(folder.paths("gold/a/"))
    assert folder.folders("gold/") == ["b c"]
    assert folder.has_any("silver/")
    assert not folder.has_any("bronze/")


def test_a_stream_reads_an_object_in_pieces_of_any_size(
    folder: ObjectFolder, object_store: ObjectStore, store_access: StoreAccess
) -> None:
    content = bytes(range(256)) * 50_000
    folder.write("large", content)

    stream = io.BufferedReader(ObjectStream(folder.uri, "large", store_access), 1000)

    assert stream.read(3) == content[:3]
    assert stream.read(9_999_999) == content[3 : 3 + 9_999_999]
    assert stream.read() == content[3 + 9_999_999 :]
    assert object_store.uri("") in folder.uri


def test_what_the_store_refuses_is_one_sentence(
    folder: ObjectFolder, object_store: ObjectStore, store_access: StoreAccess, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong_keys = dataclasses.replace(store_access, keys=StoreKeys("nobody", "nothing"))
    with pytest.raises(UserError, match=r"refuses the keys, or what they may do. Correct AWS_ACCESS_KEY_ID"):
        ObjectFolder(folder.uri, wrong_keys).write("x", b"")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "only-this")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY", raising=False)
    half_a_key = dataclasses.replace(store_access, keys=None)
    with pytest.raises(UserError, match=r"there are no keys for the object store of .*Set AWS_ACCESS_KEY_ID"):
        ObjectFolder(folder.uri, half_a_key).write("x", b"")
    with pytest.raises(UserError, match=r"has no bucket for s3a://none/lake"):
        ObjectFolder("s3a://none/lake", store_access).write("x", b"")
    with pytest.raises(UserError, match=r"the object .*/gone is not there"):
        ObjectStream(object_store.uri("landing"), "gone", store_access)
