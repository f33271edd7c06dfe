from pathlib import Path

from support.object_store import ObjectStore

from spark_jobs.store.object_folder import ObjectFolder
from spark_jobs.store.store_access import StoreAccess
from spark_jobs.store.stored_docs import prepare_docs, publish_docs


def written(folder: Path, pages: dict[str, str]) -> Path:
    for name, text in pages.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_a_site_replaces_the_one_that_is_stored_and_the_others_stay(
    tmp_path: Path, object_store: ObjectStore, store_access: StoreAccess
) -> None:
    stored = ObjectFolder(object_store.uri("docs"), store_access)
    first = {"d1/cluster=a/index.html": "one", "d1/cluster=a/old.html": "x", "d1/cluster=b c/index.html": "b"}
    publish_docs(written(tmp_path / "first", {**first, "index.html": "two sites"}), stored)

    later = tmp_path / "later"
    prepare_docs(later, stored)
    assert sorted(site.name for site in (later / "d1").iterdir()) == ["cluster=a", "cluster=b c"]
    publish_docs(written(later, {"d1/cluster=a/index.html": "new", "index.html": "still two"}), stored)

    pages = {path: stored.read(path) for path in stored.paths("")}
    assert {path: page.content.decode() for path, page in pages.items() if page is not None} == {
        "d1/cluster=a/index.html": "new",
        "d1/cluster=b c/index.html": "b",
        "index.html": "still two",
    }
