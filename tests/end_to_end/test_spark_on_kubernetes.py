"""The variant of deploy/kubernetes with executors as pods: Spark's driver with its settings, its Role and its template of a pod,
against an API server that runs pods as processes."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.killed_commands import delta_commit, ended, start_lagoon, wait_while_running
from support.kubernetes_api import KubernetesApi, Node
from support.kubernetes_manifests import MANIFESTS, VERSIONS, documents, documents_of, problem
from support.lake_contents import table_contents

from spark_jobs import run as runs
from spark_jobs.job import DeliveryDays, Job
from spark_jobs.settings import SOURCES
from spark_jobs.spark.java import java_home

pytestmark = pytest.mark.slow

NAMESPACE, DRIVER = "lagoon", "lagoon-pipeline-29384895-x7k2p"
VARIANT = MANIFESTS / "executors"


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[KubernetesApi]:
    import pyspark

    commands = tmp_path / "commands"
    commands.mkdir()
    (commands / "spark-executor").symlink_to(MANIFESTS / "executor.sh")
    image = {
        "PATH": f"{commands}:{java_home('')}/bin:{os.environ['PATH']}",
        "SPARK_HOME": str(Path(pyspark.__file__).parent),
        "PYSPARK_PYTHON": sys.executable,
    }
    [role] = [document for document in documents().values() if document["kind"] == "Role"]
    allowed: dict[str, set[str]] = {}
    for rule in role["rules"]:
        for resource in rule["resources"]:
            allowed.setdefault(resource, set()).update(rule["verbs"])
    node = tmp_path / "node"
    node.mkdir()
    api = KubernetesApi(NAMESPACE, allowed, Node(image, node))
    api.add({"metadata": {"name": DRIVER}, "spec": {"containers": []}}, is_running=True)
    yield api
    api.close()


def settings_for_this_machine(folder: Path) -> Path:
    """Those of the variant, with smaller executors, and the template where it is here."""
    text = (VARIANT / "lagoon.toml").read_text("utf-8")
    changes = {
        "/etc/lagoon/executor.yaml": str(VARIANT / "executor.yaml"),
        '"spark.executor.cores" = "2"': '"spark.executor.cores" = "1"',
        '"spark.executor.memory" = "2g"': '"spark.executor.memory" = "700m"',
        '"spark.sql.shuffle.partitions" = "8"': '"spark.sql.shuffle.partitions" = "2"',
    }
    for theirs, ours in changes.items():
        assert text.count(theirs) == 1, theirs
        text = text.replace(theirs, ours)
    file = folder / "lagoon.toml"
    file.write_text(text, "utf-8")
    return file


def start_on(cluster: KubernetesApi, *words: object, folder: Path) -> "subprocess.Popen[str]":
    return start_lagoon(
        *words,
        *("--quiet", "--config", settings_for_this_machine(folder)),
        environment={
            "LAGOON_SPARK_MASTER": cluster.master,
            "LAGOON_SPARK_DRIVER_MEMORY": "1g",
            "POD_NAME": DRIVER,
            "POD_NAMESPACE": NAMESPACE,
            "SPARK_LOCAL_HOSTNAME": "127.0.0.1",
        },
    )


def test_the_pipeline_runs_on_executors_in_pods_one_of_which_is_killed_with_the_rights_of_its_role_and_no_other(
    cluster: KubernetesApi, new_job: Callable[..., Job], small_landing: Path, tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    words = ("--landing", small_landing, "--lake", lake)
    assert ended(start_on(cluster, "bronze", *words, folder=tmp_path)) == (0, "")
    silver = start_on(cluster, "silver", *words, folder=tmp_path)
    wait_while_running(silver, lambda: delta_commit(lake, "silver.positions", 1).exists() or None)
    cluster.kill(next(name for name in cluster.processes if name in cluster.pods))
    assert ended(silver) == (0, "")

    assert cluster.refused == []
    assert cluster.used == {(verb, resource) for resource, verbs in cluster.allowed.items() for verb in verbs}
    assert [name for name in cluster.pods if name != DRIVER] == []
    # Two for each step, and one in place of the one that was killed.
    assert len(cluster.created) == 5
    [template] = documents_of(VARIANT / "executor.yaml")
    for pod in cluster.created:
        assert problem({key: value for key, value in pod.items() if key != "status"}, VERSIONS[-1]) is None
        assert [owner["uid"] for owner in pod["metadata"]["ownerReferences"]] == [
            cluster.pods[DRIVER]["metadata"]["uid"]
        ]
        spec, [container] = pod["spec"], pod["spec"]["containers"]
        assert spec["serviceAccountName"] == "lagoon-executor"
        assert spec["automountServiceAccountToken"] is False
        assert spec["securityContext"] == template["spec"]["securityContext"]
        assert container["securityContext"] == template["spec"]["containers"][0]["securityContext"]
        assert container["image"] == "lagoon:0.1.0"
        assert {volume["name"] for volume in spec["volumes"]} == {"spark-local-dir-1", "tmp"}

    undisturbed = new_job(tmp_path / "undisturbed", small_landing)
    runs.run_bronze(undisturbed, DeliveryDays(), SOURCES)
    runs.run_silver(undisturbed, DeliveryDays())
    expected = table_contents(undisturbed.lake)
    assert sum(map(len, expected.values())) > 1_000
    assert table_contents(new_job(lake, small_landing).lake) == expected
