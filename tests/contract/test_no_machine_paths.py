"""What is kept here works on any machine: nothing names a folder of one, or a host that packages came from."""

import subprocess
from pathlib import Path

PROJECT = Path(__file__).parents[2]

_FOLDERS_OF_A_MACHINE = r"(^|[^A-Za-z0-9_.~$}-])/(home|root|Users|work|mnt|private|tmp|var/folders)/[A-Za-z0-9_.]"
# In halves, so that this file doesn't hold what it looks for.
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


def found(pattern: str) -> list[str]:
    """`file:line` of every tracked text file that has the pattern."""
    command = ["git", "grep", "--line-number", "--ignore-case", "-I", "--extended-regexp", "-e", pattern]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout.splitlines()


def test_the_search_sees_the_files() -> None:
    files = {line.split(":")[0] for line in found("lagoon")}

    assert {"README.md", "Makefile", "pyproject.toml"} <= files


def test_no_file_names_a_folder_of_a_machine() -> None:
    assert found(_FOLDERS_OF_A_MACHINE) == []


def test_no_file_names_a_package_registry() -> None:
    hosts = "|".join(rf"{name}\.{end}" for name, end in _REGISTRIES)

    assert found(rf"(^|[^A-Za-z0-9-])({hosts})([^A-Za-z0-9-]|$)") == []


def test_no_file_pins_an_index_or_a_mirror() -> None:
    assert found(r"--(extra-)?index-url[ =]|--find-links[ =]|registry[ ]*=[ ]*http") == []
