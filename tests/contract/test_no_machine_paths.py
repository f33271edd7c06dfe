"""The repository works on any machine: no file contains a folder of one machine or the host of a package registry."""

import subprocess
from pathlib import Path

PROJECT = Path(__file__).parents[2]

_MACHINE_FOLDERS = r"(^|[^A-Za-z0-9_.~$}-])/(home|root|Users|work|mnt|private|tmp|var/folders)/[A-Za-z0-9_.]"
# In two parts, so that this file does not match itself.
_REGISTRIES = (
    ("pypi", "org"),
    ("pythonhosted", "org"),
    ("maven", "org"),
    ("maven.apache", "org"),
    ("sonatype", "org"),
    ("npmjs", "org"),
    ("yarnpkg", "com"),
    ("debian", "org"),
    ("ubuntu", "com"),
    ("conda", "io"),
    ("anaconda", "org"),
    ("docker", "io"),
    ("ghcr", "io"),
    ("quay", "io"),
    ("crates", "io"),
    ("proxy.golang", "org"),
)


def matches(pattern: str) -> list[str]:
    """`file:line:text` of every line of a tracked text file that matches."""
    command = ["git", "grep", "--line-number", "--ignore-case", "-I", "--extended-regexp", "-e", pattern]
    finished = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert finished.returncode in (0, 1), finished.stderr
    return finished.stdout.splitlines()


def test_the_search_covers_the_files() -> None:
    files = {line.split(":")[0] for line in matches("lagoon")}

    assert {"README.md", "Makefile", "pyproject.toml"} <= files


def test_no_file_contains_a_folder_of_a_machine() -> None:
    assert matches(_MACHINE_FOLDERS) == []


def test_no_file_contains_a_package_registry() -> None:
    hosts = "|".join(rf"{name}\.{end}" for name, end in _REGISTRIES)

    assert matches(rf"(^|[^A-Za-z0-9-])({hosts})([^A-Za-z0-9-]|$)") == []


def test_no_file_pins_an_index_or_a_mirror() -> None:
    assert matches(r"--(extra-)?index-url[ =]|--find-links[ =]|registry[ ]*=[ ]*http") == []
