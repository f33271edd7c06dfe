"""Reads a settings file and the values in it, with errors that name what is wrong."""

import difflib
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spark_jobs.errors import UsageError

# What a setting may change the rows of.
LOG_LINES, LAG_READINGS, VERDICTS, SILVER, GOLD = (
    "bronze.log_lines",
    "bronze.lag_readings",
    "delivery",
    "silver",
    "gold",
)


@dataclass(frozen=True)
class Setting:
    """One scalar setting: `section.key` in the file, LAGOON_… in the environment."""

    name: str
    default: str | int | float
    meaning: str
    # The smallest value, if it is a whole number.
    minimum: int = 1
    # The only values, if it is a text that has a few.
    choices: tuple[str, ...] = ()
    # What it changes the rows of: a bronze table, the verdicts on deliveries, silver or gold. Empty: no rows.
    changes: str = ""

    @property
    def variable(self) -> str:
        return "LAGOON_" + self.name.removeprefix("lagoon.").replace(".", "_").upper()


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


def converted(setting: Setting, value: Any, where: str) -> str | int | float:
    kind = type(setting.default)
    integer = "a whole number above 0" if setting.minimum else "a whole number from 0"
    expected = {str: " or ".join(setting.choices) or "a text", int: integer, float: "a number between 0 and 1"}[kind]
    error = UsageError(f"{where} is {value!r}", f"Give {expected}: {setting.meaning}")
    if setting.choices and value not in setting.choices:
        raise error
    if isinstance(value, bool) or (value == "" and setting.default != ""):
        raise error
    try:
        converted = kind(value)
    except (TypeError, ValueError) as cause:
        raise error from cause
    if (kind is str and not isinstance(value, str)) or (
        kind is int and (converted != value and str(converted) != value)
    ):
        raise error
    if (kind is int and int(converted) < setting.minimum) or (kind is float and not 0 <= float(converted) <= 1):
        raise error
    return converted
