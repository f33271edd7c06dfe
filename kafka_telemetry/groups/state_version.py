"""The version that an end-of-day state carries, so that no release reads a state that it does not understand."""

from collections.abc import Mapping
from typing import Any


class UnknownStateVersion(Exception):  # noqa: N818 - it is the state that is wrong, not the program
    """An end-of-day state was written by another release. Its days have to be rebuilt."""

    def __init__(self, found: object, expected: int) -> None:
        super().__init__(found, expected)
        self.found = found
        self.expected = expected

    def __str__(self) -> str:
        found = "no version" if self.found is None else f"version {self.found}"
        return (
            f"The state that the previous day left has {found}, and this release reads version {self.expected}: run "
            "`lagoon run --from … --to …` over all days of the lake, so that each is rebuilt together with its state."
        )


def check_version(state: Mapping[str, Any], expected: int) -> None:
    found = state.get("version")
    if found != expected:
        raise UnknownStateVersion(found, expected)
