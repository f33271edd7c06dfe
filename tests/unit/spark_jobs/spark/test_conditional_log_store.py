"""Delta's log in an S3 store, in a JVM without Spark."""

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyspark
import pytest
from py4j.java_gateway import JavaGateway
from py4j.protocol import Py4JJavaError
from support.object_store import ObjectStore
from support.store_fixture import object_store, store_access

from spark_jobs.spark import jars
from spark_jobs.spark.delta_log import compile_log_store
from spark_jobs.spark.java import java_home
from spark_jobs.store.store_access import StoreAccess

__all__ = ["object_store", "store_access"]

Write = Callable[..., str]


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JavaGateway]:
    classes = tmp_path_factory.mktemp("classes")
    if not all(jars.jar_path(each).is_file() for each in jars.pinned_versions(s3a=True)):
        jars.fetch_jars(s3a=True)
    of_spark = sorted((Path(pyspark.__file__).parent / "jars").glob("*.jar"))
    gateway = JavaGateway.launch_gateway(
        classpath=":".join(map(str, [classes, *jars.pinned_jars(s3a=True), *of_spark])),
        java_path=str(java_home() / "bin" / "java"),
        die_on_exit=True,
    )
    compile_log_store(gateway, classes)
    yield gateway
    gateway.shutdown()


@pytest.fixture
def log(gateway: JavaGateway, object_store: ObjectStore, store_access: StoreAccess) -> Any:
    jvm, keys = gateway.jvm, store_access.keys
    assert keys is not None
    hadoop = jvm.org.apache.hadoop.conf.Configuration()
    for name, value in {
        "endpoint": object_store.endpoint,
        "endpoint.region": "us-east-1",
        "path.style.access": "true",
        "access.key": keys.access_key,
        "secret.key": keys.secret_key,
    }.items():
        hadoop.set(f"fs.s3a.{name}", value)
    return jvm.lagoon.ConditionalLogStore(hadoop), hadoop


@pytest.fixture
def write(gateway: JavaGateway, object_store: ObjectStore, log: Any) -> Write:
    """Writes a commit. Returns the class of the Java error, if there is one."""
    store, hadoop = log
    folder = object_store.uri(f"log-{uuid.uuid4()}")

    def write_commit(number: int, *actions: str, overwrite: bool = False) -> str:
        lines = gateway.jvm.java.util.ArrayList()
        for action in actions:
            lines.add(action)
        path = gateway.jvm.org.apache.hadoop.fs.Path(f"{folder}/{number:020}.json")
        try:
            store.write(path, lines.iterator(), overwrite, hadoop)
        except Py4JJavaError as error:
            return str(error.java_exception).partition(":")[0]
        return "".join(f"{line}\n" for line in store.read(path, hadoop))

    return write_commit


def test_a_commit_of_a_number_that_is_taken_is_refused_as_delta_expects_it(write: Write) -> None:
    assert write(1, "mine", "too") == "mine\ntoo\n"
    assert write(1, "of another process") == "java.nio.file.FileAlreadyExistsException"
    assert write(2, "the next") == "the next\n"


def test_a_commit_whose_answer_was_lost_is_known_again(write: Write) -> None:
    assert write(1, "mine") == "mine\n"
    assert write(1, "mine") == "mine\n"


def test_what_delta_overwrites_on_purpose_is_overwritten(write: Write) -> None:
    assert write(1, "first") == "first\n"
    assert write(1, "second", overwrite=True) == "second\n"


def test_after_the_end_of_the_lease_nothing_is_written(gateway: JavaGateway, write: Write) -> None:
    system = gateway.jvm.java.lang.System
    try:
        system.setProperty("lagoon.lease.until", str(system.nanoTime() + 10**12))
        assert write(1, "in time") == "in time\n"
        system.setProperty("lagoon.lease.until", str(system.nanoTime() - 1))
        assert write(2, "too late") == "java.io.IOException"
        assert write(2, "too late", overwrite=True) == "java.io.IOException"
    finally:
        system.clearProperty("lagoon.lease.until")
    assert write(2, "of the next holder") == "of the next holder\n"
