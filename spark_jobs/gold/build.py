"""Gold: which event days changed since gold last made them, and one run of dbt over them on the live session."""

import contextlib
import datetime as dt
import hashlib
import io
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spark_jobs.errors import UserError
from spark_jobs.lake import ledger
from spark_jobs.lake.catalog import open_to_read
from spark_jobs.lake.ledger import Entry, Run, fingerprint
from spark_jobs.lake.location import local_path
from spark_jobs.lake.tables import Lake
from spark_jobs.settings import SETTINGS, Settings
from spark_jobs.silver.pipeline.plan import DAY_ENTRY

PROJECT = Path(__file__).parents[2] / "dbt_project"

# The name under which the ledger keeps a day of gold: its tables are made together.
TABLE = "gold"

# What a model asks of the settings, under the setting's own variable.
_TOLD_TO_THE_MODELS = ("gold.status_window", "gold.status_minimum_complete", "gold.status_allowed_lag")

# (cluster, day)
Pair = tuple[str, dt.date]
Ledger = Mapping[tuple[str, dt.date, str], Entry]


@dataclass(frozen=True)
class Built:
    """What a call of gold came to."""

    days: tuple[dt.date, ...]
    failed_tests: tuple[str, ...]


def build(lake: Lake, settings: Settings, run: Run, *, force: Set[Pair], told: Callable[[str], None]) -> Built:
    """Makes the event days again that bronze or silver changed, all clusters of a day together.

    `force` are days to make whatever the ledger says.
    """
    bronze, silver = ledger.newest(lake, "bronze"), ledger.newest(lake, "silver")
    inputs = _inputs(bronze, silver)
    standing = {(cluster, day): entry for (cluster, day, _), entry in ledger.newest(lake, "gold").items()}
    defined = fingerprint([definition(), *(settings.text(name) for name in _TOLD_TO_THE_MODELS)])
    other = any(entry.result != defined for entry in standing.values()) or not _all_tables_stand(lake)
    stale = {
        pair
        for pair, made_from in inputs.items()
        if other or pair in force or pair not in standing or standing[pair].inputs != made_from
    }
    if not stale:
        return Built((), ())
    days = sorted({day for _, day in stale})
    told(_said(days))
    started = ledger.now()
    _name_the_tables_of(lake)
    with _environment({**_asked(lake, settings, days), **_deliveries(bronze, silver, days)}):
        _make(lake, settings, new_definition=other, told=told)
        failed = _failed_checks(lake, settings)
    made = [pair for pair in sorted(inputs) if pair[1] in set(days)]
    ledger.write(lake, run, [_entry(pair, started, inputs[pair], defined, failed=bool(failed)) for pair in made])
    return Built(tuple(days), failed)


def _inputs(bronze: Ledger, silver: Ledger) -> dict[Pair, int]:
    """A fingerprint of what each event day is made from: its silver and that of the day before, which lag looks back
    at, and the deliveries that tell of it.
    """
    parts: dict[Pair, list[object]] = {}
    made = {(cluster, day): entry for (cluster, day, table), entry in silver.items() if table == DAY_ENTRY}
    for cluster, day in sorted(made):
        seen = [made.get((cluster, day - dt.timedelta(before))) for before in (0, 1)]
        parts[cluster, day] = [(entry.inputs, entry.result, entry.ended_at) for entry in seen if entry]
    for (cluster, delivered_on, table), entry in sorted(bronze.items()):
        # What tells of no day is counted under the day of its delivery.
        for day in sorted({delivered_on, *(rows.day for rows in entry.event_rows)}):
            parts.setdefault((cluster, day), []).append((delivered_on, table, entry.result))
    return {pair: fingerprint(of) for pair, of in parts.items()}


def definition() -> int:
    """A fingerprint of what gold means: when the project changes, every day is made anew."""
    files = sorted(path for path in PROJECT.rglob("*") if path.suffix in (".sql", ".yml"))
    return fingerprint([(path.relative_to(PROJECT), hashlib.sha256(path.read_bytes()).hexdigest()) for path in files])


def _entry(pair: Pair, started: dt.datetime, made_from: int, definition: int, *, failed: bool) -> Entry:
    """A day whose checks failed stays stale, so that it is said again until it is cured."""
    return Entry(
        *(pair[0], "gold", pair[1], TABLE, started, ledger.now()),
        outcome="failed" if failed else "done",
        inputs=None if failed else made_from,
        result=definition,
    )


def _asked(lake: Lake, settings: Settings, days: Sequence[dt.date]) -> dict[str, str]:
    """What the models ask of the environment (see dbt_project/macros)."""
    retention = {name: cluster.offsets_retention_minutes for name, cluster in settings.clusters.items()}
    return {
        "LAGOON_DAYS": _joined(days),
        "LAGOON_GOLD": lake.path("gold"),
        "LAGOON_OFFSETS_RETENTION": json.dumps(retention),
        **{s.variable: settings.text(s.name) for s in SETTINGS if s.name in _TOLD_TO_THE_MODELS},
        "LAGOON_STORM": json.dumps(
            {
                "rebalances": settings.whole("rebalances.storm_count"),
                "minutes": settings.whole("rebalances.storm_minutes"),
            }
        ),
    }


def _deliveries(bronze: Ledger, silver: Ledger, days: Sequence[dt.date]) -> dict[str, str]:
    """Which deliveries tell of the days, and which of all are halted."""
    wanted = set(days)
    tell = {
        delivered_on
        for (_, delivered_on, _), entry in bronze.items()
        if delivered_on in wanted or any(rows.day in wanted for rows in entry.event_rows)
    }
    halted = [f"{cluster} {day}" for (cluster, day, _), entry in silver.items() if entry.outcome == "halted"]
    return {"LAGOON_DELIVERIES": _joined(sorted(tell or wanted)), "LAGOON_HALTED": json.dumps(sorted(halted))}


def _all_tables_stand(lake: Lake) -> bool:
    """Whether there is a table for each model: somebody may have removed some, to have them made anew."""
    models = {path.stem for path in (PROJECT / "models" / "gold").glob("*.sql")}
    return models <= {row.tableName for row in lake.spark.sql("show tables in gold").collect()}


def _name_the_tables_of(lake: Lake) -> None:
    """dbt knows tables by name only, and another lake may have been opened in this session since."""
    location = str(lake.spark.sql(f"describe detail {ledger.TABLE}").collect()[0]["location"])
    if location.removeprefix("file:") != lake.path(ledger.TABLE).removeprefix("file:"):
        open_to_read(lake.spark, lake.uri)


def _joined(days: Sequence[dt.date]) -> str:
    return ",".join(str(day) for day in days)


@contextlib.contextmanager
def _environment(told: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in told}
    os.environ.update(told)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def docs(lake: Lake, settings: Settings) -> Path:
    """Writes dbt's documentation of the lake's tables, one page that needs no server. Returns the page."""
    _name_the_tables_of(lake)
    today = [ledger.now().date()]
    with _environment({**_asked(lake, settings, today), **_deliveries({}, {}, today)}):
        _invoke("docs", "generate", "--static", *_common(lake, settings))
    return _target(lake) / "static_index.html"


def _make(lake: Lake, settings: Settings, *, new_definition: bool, told: Callable[[str], None]) -> None:
    for result in _results("run", *_common(lake, settings), *(["--full-refresh"] if new_definition else [])):
        told(f"{result.node.name}: {result.execution_time:.1f} s")


def _failed_checks(lake: Lake, settings: Settings) -> tuple[str, ...]:
    """Apart from the models and after them: a failed check is told, and does not keep other tables from being made."""
    return tuple(
        f"{result.node.name} ({row.broken}: {row.rows_found} rows)"
        for result in _results("test", *_common(lake, settings), "--exclude-resource-type", "unit_test")
        if result.status == "fail"
        for row in lake.spark.sql(result.node.compiled_code).collect()
    )


def _target(lake: Lake) -> Path:
    """dbt's own files: under a local lake, and apart for each place that the project lies in, since they name it."""
    here = hashlib.sha256(str(PROJECT).encode()).hexdigest()[:12]
    root = local_path(lake.uri)
    if root is not None:
        return root / ".dbt" / here
    of_lake = hashlib.sha256(lake.uri.encode()).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"lagoon-dbt-{os.getuid()}" / here / of_lake


def _common(lake: Lake, settings: Settings) -> tuple[str, ...]:
    folder = _target(lake)
    return (
        *("--project-dir", str(PROJECT), "--profiles-dir", str(PROJECT)),
        *("--target-path", str(folder), "--log-path", str(folder)),
        *("--threads", settings.text("gold.threads"), "--quiet", "--log-level", "none", "--no-use-colors"),
    )


def _results(*words: str) -> list[Any]:
    """What became of each model or check. Raises UserError if one could not run at all."""
    results: list[Any] = list(_invoke(*words).results)
    for result in results:
        if result.status == "error":
            raise UserError(
                f"gold can't be made: {result.node.name} says {_first_lines(result.message or '')}",
                f"Correct dbt_project/{result.node.original_file_path}, or run again if storage was out of reach",
            )
    return results


def _invoke(*words: str) -> Any:
    """One call of dbt in this process: it takes over the live session."""
    os.environ.setdefault("DBT_SEND_ANONYMOUS_USAGE_STATS", "false")
    from dbt.cli.main import dbtRunner

    with contextlib.redirect_stdout(io.StringIO()) as said:
        came = dbtRunner().invoke(list(words))
    if came.result is None:
        problem = _first_lines(str(came.exception or said.getvalue()))
        raise UserError(f"gold can't be made: dbt says {problem}", "Correct dbt_project where it says")
    return came.result


def _first_lines(text: str) -> str:
    """An error without its stack and its query plan."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    kept = [line for line in lines if not line.startswith(("Runtime Error", "Database Error", "compiled code at"))]
    return " ".join(kept[:2])[:400]


def _said(days: Sequence[dt.date]) -> str:
    return str(days[0]) if len(days) == 1 else f"{days[0]} to {days[-1]}, {len(days)} days"
