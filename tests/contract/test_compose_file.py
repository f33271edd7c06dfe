"""docker-compose.yml and .env.example: what no service may do, without starting one."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

PROJECT = Path(__file__).parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((PROJECT / "docker-compose.yml").read_text("utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
TEXT = (PROJECT / "docker-compose.yml").read_text("utf-8")


def test_the_services_are_found() -> None:
    assert {"postgres", "airflow-api", "airflow-scheduler", "dashboards", "sql", "spark-worker"} <= set(SERVICES)


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_has_no_more_rights_than_it_needs(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert not {"privileged", "cap_add", "network_mode", "pid", "user"} & set(service)
    assert {"mem_limit", "pids_limit", "logging", "restart"} <= set(service)
    assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))


@pytest.mark.parametrize("name", sorted({*SERVICES} - {"airflow-init"}))
def test_a_service_that_stays_has_a_health_check(name: str) -> None:
    assert SERVICES[name]["healthcheck"]["test"]


def test_no_secret_has_a_default() -> None:
    secrets = re.findall(r"\$\{(\w*(?:PASSWORD|KEY|SECRET|TOKEN))(.*?)\}", TEXT)
    assert len(secrets) > 8
    assert {rest for _, rest in secrets} == {":?is not set. Run make stack-env"}
    example = (PROJECT / ".env.example").read_text("utf-8")
    empty = set(re.findall(r"^(\w+)=$", example, re.MULTILINE))
    assert empty == {name for name, _ in secrets}
    assert not re.findall(r"^\w+=.", example, re.MULTILINE)


def test_every_variable_is_explained_in_the_example() -> None:
    used = set(re.findall(r"\$\{(\w+)", TEXT))
    explained = set(re.findall(r"^#?(\w+)=", (PROJECT / ".env.example").read_text("utf-8"), re.MULTILINE))
    assert used <= explained
    assert explained - used == {"COMPOSE_PROFILES"}


def test_the_images_carry_the_version_of_the_package() -> None:
    version = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    found = re.findall(r"^ARG LAGOON_VERSION=(.*)$", (PROJECT / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    assert found == [version, version]


def test_every_image_begins_with_debian_alone() -> None:
    files = [PROJECT / "Dockerfile", *sorted((PROJECT / "deploy").glob("*/Dockerfile"))]
    assert len(files) == 5
    for file in files:
        stages = re.findall(r"^FROM (\S+)(?: AS (\S+))?", file.read_text("utf-8"), re.MULTILINE)
        assert {image for image, _ in stages} - {name for _, name in stages} == {"debian:bookworm-slim"}, file
