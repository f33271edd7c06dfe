"""Fixtures: a running object store for the tests of a session, and how Lagoon reaches it."""

from collections.abc import Iterator

import pytest

from spark_jobs.settings import load
from spark_jobs.store.store_access import StoreAccess
from support.object_store import ObjectStore, missing


@pytest.fixture(scope="session")
def object_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStore]:
    if reason := missing():
        pytest.skip(reason)
    store = ObjectStore(tmp_path_factory.mktemp("store"))
    store.start()
    yield store
    store.stop()


@pytest.fixture(scope="session")
def store_access(object_store: ObjectStore) -> StoreAccess:
    return load(environment=object_store.environment()).store
