"""Reads a settings file, and the errors that name what is wrong in it."""

import difflib
import tomllib
from pathlib import Path
from typing import Any

from spark_jobs.errors import UsageError


def read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not TOML: {error}", "Correct the file") from error


def table(path: Path, name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UsageError(f"{name} in {path} is not a table", f"Write it as [{name}]")
    return value


def unknown_key(path: Path, name: str, known: tuple[str, ...]) -> UsageError:
    similar = difflib.get_close_matches(name, known, n=1)
    return UsageError(
        f"{path} sets {name}, which does not exist",
        f"Did you mean {similar[0]}" if similar else f"Known are: {', '.join(known)}",
    )
