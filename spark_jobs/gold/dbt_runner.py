"""Runs dbt in this process, on the live Spark session that knows where the lake is."""

import contextlib
import datetime as dt
import functools
import hashlib
import io
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from expectations.thresholds import THRESHOLDS
from spark_jobs.errors import UserError
from spark_jobs.failure_causes import known_cause
from spark_jobs.lake import ledger
from spark_jobs.lake.catalog import open_to_read
from spark_jobs.lake.location import local_path
from spark_jobs.lake.tables import Lake
from spark_jobs.settings import SETTINGS, Settings

if TYPE_CHECKING:
    from dbt.contracts.graph.manifest import Manifest

PROJECT = Path(__file__).parents[2] / "dbt_project"
# Settings that models read, each as the environment variable of the setting.
MODEL_SETTINGS = (
    "gold.status_window",
    "gold.status_minimum_complete",
    "gold.status_allowed_lag",
    "findings.ignored_groups",
)


class NodeProgress(NamedTuple):
    """A model or test of a dbt command has begun or ended."""

    name: str
    # How many the command runs.
    total: int
    # None while it runs.
    seconds: float | None


# Is called when a model or test begins and when it has ended, from several threads.
Watch = Callable[[NodeProgress], None]


@dataclass(frozen=True)
class DbtRunner:
    """dbt for one lake."""

    lake: Lake
    settings: Settings

    @contextlib.contextmanager
    def environment(
        self,
        days: Sequence[dt.date],
        *,
        deliveries: Sequence[dt.date] | None = None,
        halted: Sequence[str] = (),
        keeps_old_days: bool = False,
    ) -> Iterator[None]:
        """Sets what the macros read from the environment while the context is open.

        `days` are the event days to build, `deliveries` the days of delivery with rows of them (the same days by default),
        `halted` the halted deliveries as `<cluster> <day>`. With `keeps_old_days` no table is replaced as a whole.
        """
        retention = {name: cluster.offsets_retention_minutes for name, cluster in self.settings.clusters.items()}
        storm = {
            "rebalances": self.settings.integer("rebalances.storm_count"),
            "minutes": self.settings.integer("rebalances.storm_minutes"),
        }
        with _environment_variables(
            {
                "LAGOON_DAYS": _comma_separated(days),
                "LAGOON_DELIVERIES": _comma_separated(deliveries or days),
                "LAGOON_HALTED": json.dumps(sorted(halted)),
                "LAGOON_GOLD": self.lake.path("gold"),
                "LAGOON_KEEPS_OLD_DAYS": "1" if keeps_old_days else "",
                "LAGOON_OFFSETS_RETENTION": json.dumps(retention),
                "LAGOON_STORM": json.dumps(storm),
                "LAGOON_THRESHOLDS": json.dumps(THRESHOLDS),
                **{s.variable: self.settings.text(s.name) for s in SETTINGS if s.name in MODEL_SETTINGS},
            }
        ):
            yield

    def register_tables(self) -> None:
        """Makes the session's table names those of this lake. dbt knows tables by name only, and the session may have
        opened another lake since."""
        location = str(self.lake.spark.sql(f"describe detail {ledger.TABLE}").collect()[0]["location"])
        if location.removeprefix("file:") != self.lake.path(ledger.TABLE).removeprefix("file:"):
            open_to_read(self.lake.spark, self.lake.uri, self.lake.access)

    @functools.cached_property
    def manifest(self) -> "Manifest":
        """The project as dbt has parsed it: models, sources and what each reads."""
        manifest: Manifest = self._invoke("parse")
        return manifest

    def results(self, command: str, *options: str, watch: Watch | None = None) -> list[Any]:
        """Runs a dbt command and returns its result for each model or test. Raises UserError if one could not run."""
        results: list[Any] = list(self._invoke(command, *options, watch=watch, manifest=self.manifest).results)
        for result in results:
            if result.status == "error":
                raise known_cause(f"gold.{result.node.name}: {result.message}", self.settings) or UserError(
                    f"gold can't be built: {result.node.name} says {_first_lines(result.message or '')}",
                    f"Correct dbt_project/{result.node.original_file_path}, or run again if storage was out of reach",
                )
        return results

    def failed_tests(self, *options: str, watch: Watch | None = None) -> tuple[str, ...]:
        """Runs the data tests: separately from the models, so that a failed test does not keep other tables from being
        built."""
        return tuple(
            f"{result.node.name} ({row.broken}: {row.rows_found} rows)"
            for result in self.results("test", "--exclude-resource-type", "unit_test", *options, watch=watch)
            if result.status == "fail"
            for row in self.lake.spark.sql(result.node.compiled_code).collect()
        )

    def write_docs(self, today: dt.date) -> Path:
        """Writes dbt's documentation of the lake's tables as one page that needs no server. Returns the page."""
        self.register_tables()
        with self.environment([today]):
            self._invoke("docs", "generate", "--static")
        return self.target() / "static_index.html"

    def _invoke(self, *command: str, watch: Watch | None = None, manifest: "Manifest | None" = None) -> Any:
        os.environ.setdefault("DBT_SEND_ANONYMOUS_USAGE_STATS", "false")
        from dbt.cli.main import dbtRunner

        folder = self.target()
        options = (
            *("--project-dir", str(PROJECT), "--profiles-dir", str(PROJECT)),
            *("--target-path", str(folder), "--log-path", str(folder)),
            *("--threads", self.settings.text("gold.threads"), "--quiet", "--log-level", "none", "--no-use-colors"),
        )
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            outcome = dbtRunner(manifest, [_watcher(watch)] if watch else []).invoke([*command, *options])
        if outcome.result is None:
            message = str(outcome.exception or printed.getvalue())
            problem = _first_lines(message)
            raise known_cause(message, self.settings) or UserError(
                f"gold can't be built: dbt says {problem}", "Correct the file of dbt_project that it names"
            )
        return outcome.result

    def target(self) -> Path:
        """The folder for dbt's own files: in a local lake, else in the temporary folder. They contain the path of the
        project, so each copy of the project has a folder of its own."""
        project = hashlib.sha256(str(PROJECT).encode()).hexdigest()[:12]
        root = local_path(self.lake.uri)
        if root is not None:
            return root / ".dbt" / project
        lake = hashlib.sha256(self.lake.uri.encode()).hexdigest()[:12]
        return Path(tempfile.gettempdir()) / f"lagoon-dbt-{os.getuid()}" / project / lake


def _watcher(watch: Watch) -> Callable[[Any], None]:
    """The function that dbt calls for each of its events."""

    def report_node(event: Any) -> None:
        data = event.data
        match event.info.name:
            case "LogStartLine":
                watch(NodeProgress(data.node_info.node_name, data.total, None))
            case "LogModelResult":
                watch(NodeProgress(data.node_info.node_name, data.total, data.execution_time))
            case "LogTestResult":
                watch(NodeProgress(data.node_info.node_name, data.num_models, data.execution_time))

    return report_node


@contextlib.contextmanager
def _environment_variables(values: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _comma_separated(days: Sequence[dt.date]) -> str:
    return ",".join(str(day) for day in days)


def _first_lines(text: str) -> str:
    """An error message without its stack trace and query plan."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    message = [line for line in lines if not line.startswith(("Runtime Error", "Database Error", "compiled code at"))]
    return " ".join(message[:2])[:400]
