"""deploy/kubernetes: what Kubernetes would refuse, and what no pod may do, without a cluster."""

import re
import shutil
import subprocess
import textwrap
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.go_programs import GoProgram
from support.kubernetes_manifests import MANIFESTS, VERSIONS, Document, documents, misspelt, problem

from spark_jobs.settings import SETTINGS, load
from spark_jobs.spark.start_checks import check_start_settings

PROJECT = Path(__file__).parents[2]
DOCUMENTS = documents()
VARIANTS = ("one-pod", "executors")
KUSTOMIZE = GoProgram("sigs.k8s.io/kustomize/kustomize/v5", "v5.8.1")
# Of the specification of a pod, by the document that has it.
POD_SPECS: dict[str, Document] = {
    name: document["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    if document["kind"] == "CronJob"
    else document["spec"]["template"]["spec"]
    if document["kind"] == "Deployment"
    else document["spec"]
    for name, document in DOCUMENTS.items()
    if document["kind"] in ("CronJob", "Deployment", "Pod")
}


def kustomization(folder: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((MANIFESTS / folder / "kustomization.yaml").read_text("utf-8"))
    return loaded


def test_the_manifests_are_found() -> None:
    kinds = {document["kind"] for document in DOCUMENTS.values()}
    assert kinds == {"CronJob", "Deployment", "Service", "ServiceAccount", "Role", "RoleBinding", "Pod"}
    assert len(POD_SPECS) == 4


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_kubernetes_knows_every_field(name: str, version: str) -> None:
    assert problem(DOCUMENTS[name], version) is None


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_misspelt_field_is_found_wherever_it_stands(name: str) -> None:
    fields = [
        (path, changed)
        for path, changed in misspelt(DOCUMENTS[name])
        # Without these the schema is not found at all.
        if path not in ("kind", "apiVersion")
    ]
    assert len(fields) >= 2
    assert [path for path, changed in fields if problem(changed, VERSIONS[-1]) is None] == []


@pytest.mark.parametrize("name", POD_SPECS)
def test_a_pod_has_no_more_rights_than_it_needs(name: str) -> None:
    """As Kubernetes' Pod Security Standard `restricted` asks, and with an image that can't be written."""
    spec = POD_SPECS[name]
    assert not {"hostNetwork", "hostPID", "hostIPC"} & set(spec)
    security = spec["securityContext"]
    assert (security["runAsNonRoot"], security["runAsUser"]) == (True, 10001)
    assert security["seccompProfile"] == {"type": "RuntimeDefault"}
    assert {next(iter(set(volume) - {"name"})) for volume in spec["volumes"]} <= {"configMap", "secret", "emptyDir"}
    for container in spec["containers"]:
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        folders = {mount["name"] for mount in container["volumeMounts"]}
        assert folders == {volume["name"] for volume in spec["volumes"]}


def test_only_the_pipeline_of_the_variant_with_executors_has_rights_on_the_cluster() -> None:
    accounts = {
        (name.partition("/")[0], document["metadata"]["name"]): document["automountServiceAccountToken"]
        for name, document in DOCUMENTS.items()
        if document["kind"] == "ServiceAccount"
    }
    assert accounts == {
        ("one-pod", "lagoon-pipeline"): False,
        ("executors", "lagoon-pipeline"): True,
        ("executors", "lagoon-executor"): False,
    }
    [bound] = [document for document in DOCUMENTS.values() if document["kind"] == "RoleBinding"]
    assert [subject["name"] for subject in bound["subjects"]] == ["lagoon-pipeline"]
    without_account = [spec for name, spec in POD_SPECS.items() if not name.startswith("base/pipeline")]
    assert [spec["automountServiceAccountToken"] for spec in without_account] == [False, False, False]


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_variant_consists_of_files_that_exist_and_leaves_none_out(variant: str) -> None:
    for folder in (variant, "base"):
        named = [name for name in kustomization(folder)["resources"] if name != "../base"]
        for generator in kustomization(folder)["configMapGenerator"]:
            named += generator.get("files", [])
        assert {*named, "kustomization.yaml"} == {file.name for file in (MANIFESTS / folder).iterdir()}
    assert "../base" in kustomization(variant)["resources"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_pods_refer_to_is_made_by_the_variant_or_by_the_commands_of_the_page(variant: str) -> None:
    made = {
        ("configMap", generator["name"])
        for folder in (variant, "base")
        for generator in kustomization(folder)["configMapGenerator"]
    } | {
        ("serviceAccount", document["metadata"]["name"])
        for name, document in DOCUMENTS.items()
        if document["kind"] == "ServiceAccount" and name.startswith(variant)
    }
    page = (PROJECT / "docs" / "kubernetes.md").read_text("utf-8")
    made |= {("secret", name) for name in re.findall(r"create secret generic (\S+)", page)}
    wanted = set()
    for name, spec in POD_SPECS.items():
        if not name.startswith(("base", variant)):
            continue
        wanted |= {("serviceAccount", spec[key]) for key in ("serviceAccountName",) if key in spec}
        wanted |= {("configMap", volume["configMap"]["name"]) for volume in spec["volumes"] if "configMap" in volume}
        wanted |= {("secret", volume["secret"]["secretName"]) for volume in spec["volumes"] if "secret" in volume}
        for container in spec["containers"]:
            wanted |= {("configMap", source["configMapRef"]["name"]) for source in container.get("envFrom", ())}
            references = [variable.get("valueFrom", {}) for variable in container.get("env", ())]
            wanted |= {("secret", each["secretKeyRef"]["name"]) for each in references if "secretKeyRef" in each}
    assert len(wanted) >= 6
    assert wanted <= made


@pytest.mark.parametrize("variant", VARIANTS)
def test_spark_accepts_the_settings_of_a_variant(variant: str) -> None:
    settings = load(file=str(MANIFESTS / variant / "lagoon.toml"), environment={})
    check_start_settings(settings)
    assert (
        settings.text("spark.master")
        == {"one-pod": "local[2]", "executors": "k8s://https://kubernetes.default.svc"}[variant]
    )


def test_variables_of_pods_are_settings_and_those_that_spark_replaces_are_there() -> None:
    known = {setting.variable for setting in SETTINGS} | {"LAGOON_CONFIG"}
    names = {entry.partition("=")[0] for entry in kustomization("base")["configMapGenerator"][0]["literals"]}
    of_pipeline = {
        variable["name"] for variable in POD_SPECS["base/pipeline.yaml CronJob lagoon-pipeline"]["containers"][0]["env"]
    }
    for spec in POD_SPECS.values():
        names |= {variable["name"] for each in spec["containers"] for variable in each.get("env", ())}
    assert {name for name in names if name.startswith("LAGOON_")} <= known
    replaced = set(re.findall(r"\$\{env:(\w+)\}", (MANIFESTS / "executors" / "lagoon.toml").read_text("utf-8")))
    assert replaced == {"POD_NAME", "POD_NAMESPACE"}
    assert replaced <= of_pipeline


def test_every_pod_runs_the_image_of_this_version_and_commands_that_are_in_it() -> None:
    version = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    config = load(file=str(MANIFESTS / "executors" / "lagoon.toml"), environment={}).spark_config
    containers = [container for spec in POD_SPECS.values() for container in spec["containers"]]
    images = {container["image"] for container in containers if "image" in container}
    assert {*images, config["spark.kubernetes.container.image"]} == {f"lagoon:{version}"}
    commands = {(container.get("command") or container["args"])[0] for container in containers}
    probes = {
        container[probe]["exec"]["command"][0]
        for container in containers
        for probe in ("startupProbe", "readinessProbe", "livenessProbe")
        if probe in container
    }
    copied = re.findall(
        r"^COPY deploy\S+ /usr/local/bin/(\S+)$", (PROJECT / "Dockerfile").read_text("utf-8"), re.MULTILINE
    )
    assert commands | probes == {"lagoon", "answers", "spark-executor"}
    assert commands | probes <= {*copied, "lagoon"}


@pytest.mark.slow
@pytest.mark.skipif(KUSTOMIZE.missing() is not None, reason=str(KUSTOMIZE.missing()))
@pytest.mark.parametrize("variant", VARIANTS)
def test_an_overlay_like_that_of_the_page_renders_with_the_users_image_places_and_settings(
    variant: str, tmp_path: Path
) -> None:
    page = (PROJECT / "docs" / "kubernetes.md").read_text("utf-8")
    [overlay] = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    shutil.copytree(MANIFESTS, tmp_path / "lagoon" / "deploy" / "kubernetes")
    folder = tmp_path / "ours"
    folder.mkdir()
    (folder / "kustomization.yaml").write_text(textwrap.dedent(overlay).replace("one-pod", variant), "utf-8")
    (folder / "lagoon.toml").write_text('[spark]\nmaster = "local[3]"\n', "utf-8")

    done = subprocess.run([KUSTOMIZE.build(), "build", folder], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    rendered = list(yaml.safe_load_all(done.stdout))
    assert [problem(document, version) for document in rendered for version in VERSIONS] == [None] * 2 * len(rendered)
    by_kind = {document["kind"]: document for document in rendered}
    [pipeline] = by_kind["CronJob"]["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    [dashboards] = by_kind["Deployment"]["spec"]["template"]["spec"]["containers"]
    assert {pipeline["image"], dashboards["image"]} == {"registry.example/lagoon:0.1.0"}
    maps = {document["metadata"]["name"]: document["data"] for document in rendered if document["kind"] == "ConfigMap"}
    [places] = [source["configMapRef"]["name"] for source in pipeline["envFrom"]]
    assert maps[places]["LAGOON_LAKE"] == "s3a://our-telemetry/lake"
    [settings] = [data for data in maps.values() if "lagoon.toml" in data]
    assert settings["lagoon.toml"] == '[spark]\nmaster = "local[3]"\n'
    assert ("executor.yaml" in settings) == (variant == "executors")
