"""Copies files into an object store, as a delivery does."""

from pathlib import Path

import obstore
from obstore.store import ObjectStore as Client

from spark_jobs.settings import load
from spark_jobs.store.object_folder import open_store

from .object_store import ObjectStore


def client(store: ObjectStore, name: str) -> Client:
    return open_store(store.uri(name), load(environment=store.environment()).store)


def upload(store: ObjectStore, folder: Path, name: str) -> str:
    """Copies a folder to a name in the bucket. Returns its URI."""
    upload_files(folder, client(store, name))
    return store.uri(name)


def upload_files(folder: Path, to: Client) -> None:
    files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    assert files
    for file in files:
        obstore.put(to, file.relative_to(folder).as_posix(), file)
