"""Some event days in a row, made together: what is offered is judged once, and what is lawful is written."""

import datetime as dt
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame, Observation, Row
from pyspark.sql import functions as F

import schemas
from expectations import gate
from kafka_telemetry.spill import RowFilter, Spill
from spark_jobs.lake import ledger
from spark_jobs.lake.ledger import Entry, Run, fingerprint
from spark_jobs.lake.tables import Lake, TaskRows
from spark_jobs.settings import Settings
from spark_jobs.silver import (
    client_configs,
    group_events,
    group_generations,
    group_members,
    group_owners,
    groups,
    lag_samples,
    log_holes,
    log_offsets,
    member_sessions,
    offset_commits,
    positions,
    rebalances,
    stories,
    unfinished,
)
from spark_jobs.silver.inputs import commit_owners, deletion_reasons
from spark_jobs.silver.inputs.bronze_rows import Given
from spark_jobs.silver.inputs.day_inputs import Sources
from spark_jobs.silver.inputs.end_of_day import logs_read
from spark_jobs.silver.pipeline import plan as days_of
from spark_jobs.silver.pipeline import rejected_rows, validate
from spark_jobs.silver.pipeline.declarations import MADE_OF, STATES
from spark_jobs.silver.pipeline.plan import STATE, Inputs, Ledger
from spark_jobs.silver.pipeline.slices import Slices
from spark_jobs.silver.pipeline.validate import Judged
from spark_jobs.spark import session

_REJECTED = "quality.rejected_rows"
_FURTHEST = RowFilter(pc.field("furthest"), ("furthest",))

# Rows of Spark, or what tasks make, which they write themselves: it need not pass through Spark.
Made = DataFrame | list[TaskRows]


@dataclass(frozen=True)
class Making:
    """What every block of a run needs."""

    lake: Lake
    settings: Settings
    judge: gate.Judge
    run: Run


class Block:
    def __init__(self, making: Making, inputs: Inputs, silver: Ledger, slices: Slices) -> None:
        self._lake, self._inputs, self._slices = making.lake, inputs, slices
        self._started = ledger.now()
        kinds = {kind for table in validate.TABLES for kind in MADE_OF[table].kinds}
        session.suit(self._lake.spark, sum(inputs.rows(*pair, kinds) for pair in slices.pairs()))
        starts = {cluster: days_of.day_before(silver, cluster, days[0]) for cluster, days in slices.days.items()}
        self._starts = {cluster: silver[cluster, day, STATE].leaves if day else None for cluster, day in starts.items()}
        self._shelf = Spill(session.folder_of_tasks(self._lake.spark))
        known = {cluster: day for cluster, day in starts.items() if day}
        self._sources = Sources(Given(self._lake, making.settings, inputs, slices, known, self._shelf))
        self._judged = Judged(self._sources, making.judge)
        self._disturbed: tuple[DataFrame | None, RowFilter | None] = None, None

    @property
    def results(self) -> list[gate.Result]:
        return self._judged.results

    def judge(self) -> list[Row]:
        """Judges what is offered. Returns one row per table and delivery: how much was accepted, how much rejected."""
        return self._judged.judge()

    def slices_made(self) -> list[tuple[str, dt.date, str, int, int, int, int]]:
        """(cluster, day, table, offered, accepted, rejected, duplicate): what the readers offered, and where it went."""
        return [
            (
                cluster,
                day,
                table,
                self._offered_by_readers(table, cluster, day),
                *self._judged.went(table, cluster, day),
            )
            for table in validate.TABLES
            for cluster, day in self._slices.pairs()
        ]

    def write(self) -> list[Entry]:
        """Writes the days; a day stands once it is in the ledger."""
        tables = {table: make for table, make in self._tables().items() if self._may_have(table)}
        states = {table: Observation(table) for table in STATES if table in tables}
        if STATE in tables or "silver.offset_commits" in tables:
            # Both ask for it.
            self._disturbed = self._find_disturbed()
        # Delta's commits wait more than they work.
        with ThreadPoolExecutor(6) as pool:
            writes = {table: pool.submit(self._write, table, make, states) for table, make in tables.items()}
            for table in validate.TABLES:
                if table in writes:
                    writes[table].result()
                self._judged.look_back(table, is_written=table in writes)
            for written in writes.values():
                written.result()
        return self._entries([states[table].get if table in states else {} for table in STATES])

    def release(self) -> None:
        self._sources.release()
        if self._shelf.folder:
            shutil.rmtree(self._shelf.folder)

    def _tables(self) -> dict[str, Callable[[], Made]]:
        """How each table is made; what takes longest comes first."""
        of, told = self._sources, self._sources.told
        return {
            "silver.offset_commits": self._commits,
            "silver.rebalances": lambda: rebalances.rebalances(told),
            "silver.member_sessions": lambda: member_sessions.member_sessions(told),
            "silver.stories": lambda: stories.stories(told),
            "silver.group_events": lambda: [group_events.events(of.lines)],
            "silver.lag_samples": self._samples,
            "silver.log_offsets": lambda: [log_offsets.made(of.series)],
            "silver.client_configs": lambda: client_configs.configs(of.lines),
            "silver.group_generations": lambda: group_generations.generations(of.lawful("silver.group_generations")),
            "silver.group_members": lambda: group_members.members(of.lawful("silver.group_members")),
            "silver.group_owners": self._owners,
            STATE: self._positions,
            "silver.groups": lambda: groups.groups(of.of_groups("group"), self._logs_read()),
            "silver.log_holes": lambda: log_holes.log_holes(of.log),
            "silver.unfinished": lambda: unfinished.unfinished(offset_commits.waiting(of.commits)),
            _REJECTED: self._rejected,
        }

    def _may_have(self, table: str) -> bool:
        """What readers tell nothing of, what no day before leaves and what does not stand is not asked for."""
        if table == _REJECTED:
            return self._judged.any_rejected(*validate.TABLES) or self._lake.may_hold(table, self._slices.pairs())
        return self._sources.may_have(table)

    def _write(self, table: str, make: Callable[[], Made], states: dict[str, Observation]) -> None:
        rows, where = make(), self._slices.where()
        if isinstance(rows, list):
            self._lake.replace_by_tasks(table, rows, where)
        elif table in states:
            self._lake.replace(table, rows.observe(states[table], *self._hashes(table)), where)
        else:
            self._lake.replace(table, rows, where)

    def _commits(self) -> Made:
        of, (keys, of_keys) = self._sources, self._disturbed
        in_doubt = offset_commits.in_doubt(of_keys)
        lines = of.lines if of.is_offered("silver.group_events") else None
        doubted = deletion_reasons.with_ends(gate.lawful(of.commits.rows(where=in_doubt)), of.log, lines)
        accepted = offset_commits.accepted(doubted, of.before, keys)
        owners = commit_owners.laid_down(self._owners(), self._shelf)
        made = (of.commits.told(in_doubt), TaskRows(accepted))
        return [commit_owners.with_owners(rows, owners, self._shelf) for rows in made]

    def _owners(self) -> DataFrame:
        return group_owners.owners(self._sources.of_groups("owner"), rebalances.rebalances(self._sources.told))

    def _samples(self) -> Made:
        if self._judged.any_rejected("silver.lag_samples"):
            return self._sources.lawful("silver.lag_samples")
        return [lag_samples.made(self._sources.series)]

    def _positions(self) -> DataFrame:
        of = self._sources
        standing = offset_commits.standing(of.commits, self._disturbed[1])
        return positions.positions(standing, of.before, self._logs_read(), self._ends(), of.given.ended())

    def _find_disturbed(self) -> tuple[DataFrame | None, RowFilter | None]:
        """The keys of which the log does not tell the position before each commit, and their rows."""
        any_untold = self._judged.any_rejected("silver.offset_commits") or self._judged.any_untold()
        keys = offset_commits.disturbed(self._sources.commits, self._sources.before, any_untold=any_untold)
        return keys, offset_commits.of_keys(keys)

    def _logs_read(self) -> DataFrame:
        log = ("cluster", "offsets_partition", "day", "record_offset", "holes")
        return logs_read(self._ends(), self._sources.log.rows(*log, where=_FURTHEST), self._sources.read_before)

    def _ends(self) -> DataFrame:
        return self._sources.days.groupBy("cluster").agg(F.collect_list("day").alias("days"))

    def _rejected(self) -> DataFrame:
        known = self._lake.read(_REJECTED).where(self._slices.where())
        return rejected_rows.rejected_rows(self._sources.offered, known, self._started)

    def _offered_by_readers(self, table: str, cluster: str, day: dt.date) -> int:
        """Counted apart from the split. Of members, who are told within records of groups, nobody counts before they are
        judged."""
        if table == "silver.group_members":
            return sum(self._judged.went(table, cluster, day))
        return self._inputs.rows(cluster, day, MADE_OF[table].kinds)

    def _hashes(self, table: str) -> list[Column]:
        content = F.xxhash64(*[c for c in schemas.table(table).column_names if c != "day"])
        return [
            F.bit_xor(F.when((F.col("cluster") == cluster) & (F.col("day") == F.lit(day)), content)).alias(f"s{number}")
            for number, (cluster, day) in enumerate(self._slices.pairs())
        ]

    def _entries(self, states: list[dict[str, int | None]]) -> list[Entry]:
        ended = ledger.now()
        left = {
            pair: fingerprint(state.get(f"s{number}") for state in states)
            for number, pair in enumerate(self._slices.pairs())
        }
        entries = []
        for cluster, days in self._slices.days.items():
            start = self._starts[cluster]
            for day in days:
                made_from = days_of.made_from(self._inputs, cluster, day, start)
                start = left[cluster, day]
                entries.append(
                    Entry(cluster, "silver", day, STATE, self._started, ended, made_from=made_from, leaves=start)
                )
        for cluster, day, table, offered, accepted, rejected, duplicate in self.slices_made():
            entries.append(
                Entry(
                    cluster, "silver", day, table, self._started, ended,
                    rows_in=offered, rows_accepted=accepted, rows_rejected=rejected, rows_duplicate=duplicate,
                )
            )  # fmt: skip
        return entries
