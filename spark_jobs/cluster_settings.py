"""The settings of one cluster, `[clusters.<name>]`."""

import zoneinfo
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spark_jobs import settings_file
from spark_jobs.errors import UsageError
from spark_jobs.settings_file import GOLD, LOG_LINES, SILVER, VERDICTS


@dataclass(frozen=True)
class Cluster:
    """Facts about one cluster that its files do not contain."""

    timezone: str = field(default="UTC", metadata={"changes": LOG_LINES})
    offsets_partitions: int | None = field(default=None, metadata={"changes": SILVER})
    offsets_retention_minutes: int = field(default=10080, metadata={"changes": GOLD})
    expected_sources: tuple[str, ...] = field(default=(), metadata={"changes": VERDICTS})
    # Where and how `lagoon collect` reads it.
    bootstrap_servers: str | None = field(default=None, metadata={"changes": ""})
    kafka_config: str | None = field(default=None, metadata={"changes": ""})


def read_cluster(path: Path, name: str, table: dict[str, Any], sources: tuple[str, ...]) -> Cluster:
    """The cluster of a table of the settings file."""
    where = f"clusters.{name}"
    for key, value in table.items():
        if key not in Cluster.__dataclass_fields__:
            raise settings_file.unknown_key(
                path, f"{where}.{key}", tuple(f"{where}.{k}" for k in Cluster.__dataclass_fields__)
            )
        if key in ("offsets_partitions", "offsets_retention_minutes") and (type(value) is not int or value < 1):
            raise UsageError(f"{where}.{key} in {path} is {value!r}", "Give a whole number above 0")
        if key == "timezone" and not (isinstance(value, str) and value in zoneinfo.available_timezones()):
            raise UsageError(f"{where}.timezone in {path} is {value!r}", "Give a name such as Europe/Berlin")
        if key == "expected_sources" and not (isinstance(value, list) and all(source in sources for source in value)):
            raise UsageError(f"{where}.expected_sources in {path} is {value!r}", f"Give a list of {', '.join(sources)}")
        if key in ("bootstrap_servers", "kafka_config") and not (isinstance(value, str) and value):
            raise UsageError(f"{where}.{key} in {path} is {value!r}", "Give a text, or leave it out")
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
    if "kafka_config" in fields:
        fields["kafka_config"] = str(path.parent / fields["kafka_config"])
    return Cluster(**fields)
