"""DayInputs: everything that the silver tables of some event days are built from."""

import datetime as dt
import re
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from expectations import gate
from expectations.rule import JudgedRows, Rule
from kafka_telemetry.lag.series import GenerationChanges
from kafka_telemetry.spill import RowFilter, Spill
from spark_jobs.lake.tables import Lake
from spark_jobs.settings import Settings
from spark_jobs.silver.inputs import end_of_day, previous_positions
from spark_jobs.silver.inputs.bronze_contents import BronzeContents
from spark_jobs.silver.inputs.bronze_kinds import GROUP_KINDS
from spark_jobs.silver.inputs.bronze_rows import BronzeRows
from spark_jobs.silver.inputs.effective_commits import POSITION_KEY
from spark_jobs.silver.inputs.group_histories import GroupHistories, follow_groups, no_histories
from spark_jobs.silver.inputs.lag_series import LagSeries, generation_changes, read_lag_series
from spark_jobs.silver.inputs.log_clocks import WrongClock, has_right_clock, wrong_clocks
from spark_jobs.silver.inputs.merged_log import COMMIT, GROUP_RECORD, read_merged_log
from spark_jobs.silver.inputs.misplaced_files import MisplacedFile, find_misplaced_files
from spark_jobs.silver.inputs.offsets_partitions import partition_counts
from spark_jobs.silver.inputs.replayed_groups import ReplayedGroups, no_groups, replay_groups
from spark_jobs.silver.inputs.row_counts import RowCounts
from spark_jobs.silver.inputs.set_aside import Problems
from spark_jobs.silver.inputs.slices import Slices
from spark_jobs.silver.inputs.topic_names import topic_names
from spark_jobs.silver.inputs.unique_log_lines import CONFIG, EVENT, read_log_lines

if TYPE_CHECKING:
    from spark_jobs.silver.silver_table import SilverTable

# How far a state says that the logs were read.
_READ_TO = ("cluster", "offsets_partition", "day", "log_read_to")
# What is counted of parsed rows, beside what the rules ask for.
_COUNTED = ("cluster", "day", "delivered_on", "copies")


class DayInputs:
    """Everything here is a plan that Spark runs when a table asks for its rows, except small facts that decide how
    something else is read.

    `start_days` are the days whose end-of-day states the days start from, `tables` the declarations of the silver tables.
    """

    def __init__(
        self,
        lake: Lake,
        settings: Settings,
        contents: BronzeContents,
        slices: Slices,
        start_days: Mapping[str, dt.date],
        tables: Mapping[str, "SilverTable"],
        spill: Spill,
        tasks: int,
    ) -> None:
        self.lake, self.slices, self.spill = lake, slices, spill
        self._settings, self._start_days, self._tables = settings, start_days, tables
        # The counts of the validation, which comes before any table is built.
        self.counts = RowCounts()
        self._keys: list[DataFrame | None] = []
        self._keys_lock = threading.Lock()

        # What tasks set aside, known once they have run.
        self.problems = Problems(lake.spark)
        self.bronze = bronze = BronzeRows(lake, contents, slices)
        self.misplaced: list[MisplacedFile] = []
        self.wrong_clocks: list[WrongClock] = []
        self.days = self._days()
        self.positions_before = self.state("silver.positions")
        self.groups_before = self.state("silver.groups")
        self.histories_before = self.state("silver.stories")
        self.read_before = self.positions_before.select(*_READ_TO).unionByName(self.groups_before.select(*_READ_TO))

        self.log = read_merged_log(bronze, self.misplaced, self.positions_before, self.read_before, spill, tasks)
        self.commits = self.log.only(COMMIT)
        self.lines = read_log_lines(bronze, spill, tasks)
        self.events, self.configs = self.lines.only(EVENT), self.lines.only(CONFIG)
        self.groups = self._replay_groups()
        self.histories = self._follow_groups()
        self.lag = self._read_lag(tasks)

    # Before and after validation.

    def rules(self, table: str, *, on: JudgedRows = "parsed") -> list[Rule]:
        return gate.rules_for(table, self._settings.rule_actions, on=on)

    def judged(self, table: str, *columns: str, where: RowFilter | None = None) -> DataFrame:
        """The parsed rows of a table with the verdicts of its rules, the number of their slice and the number of partitions
        of `__consumer_offsets`. If columns are named, only these and those that the rules and counts need."""
        parse = self._tables[table].parsed
        if parse is None:
            raise ValueError(f"{table} has no parsed rows")
        parsed, rules = parse(self), self.rules(table)
        names = dict.fromkeys((*columns_to_judge(parsed.columns, rules), *columns)) if columns else ()
        rows = parsed.rows(*names, where=where).join(F.broadcast(self.days), ["cluster", "day"], "left")
        return gate.with_verdicts(rows, rules)

    def valid(self, table: str, *columns: str, where: RowFilter | None = None) -> DataFrame:
        return gate.valid(self.judged(table, *columns, where=where))

    # State of the day before, and what decides whether a table may have rows.

    def has_state(self, table: str) -> bool:
        """Whether the days may start from rows of this end-of-day state."""
        return self.lake.may_contain(table, self._start_days.items())

    def state(self, table: str) -> DataFrame:
        """The rows of an end-of-day state that the days start from."""
        if not self.has_state(table):
            return self.lake.read_nothing(table)
        # Cut off from its table: Spark drops what it has cached of a table's readers when the table is written.
        return self.lake.read(table).where(self.slices.where_state(self._start_days)).localCheckpoint(eager=False)

    def may_have_rows(self, table: "SilverTable") -> bool:
        """Whether the table may get rows of the days, or has some from an earlier build."""
        may_get = self.bronze.has(table.bronze_kinds) or any(map(self.has_state, table.states))
        return may_get or self.lake.may_contain(table.name, self.slices.pairs())

    # What more than one table asks for.

    def days_by_cluster(self) -> DataFrame:
        """(cluster, days: an array)"""
        return self.days.groupBy("cluster").agg(F.collect_list("day").alias("days"))

    def logs_read(self) -> DataFrame:
        """How far each log was read when each of the days ended."""
        return end_of_day.logs_read(self.days_by_cluster(), self.log, self.read_before)

    def keys_to_recompute(self) -> DataFrame | None:
        """The keys whose previous positions are recomputed (see previous_positions.py), collected once."""
        table = "silver.offset_commits"
        with self._keys_lock:
            if not self._keys:
                in_doubt = self.counts.any_rejected(table) or self.counts.tally(table, previous_positions.UNKNOWN_TALLY)
                commits = self.judged(table, *POSITION_KEY, "previous_is_known") if in_doubt else None
                self._keys.append(previous_positions.keys_to_recompute(commits, self.positions_before))
            return self._keys[0]

    def release(self) -> None:
        """Drops what Spark caches."""
        for rows in (
            self.log.references,
            self.lines.references,
            self.lag.references,
            self.groups.frame,
            self.histories.frame,
        ):
            rows.unpersist()

    def _days(self) -> DataFrame:
        """(cluster, day, slice, offsets_partitions): `slice` numbers the days, so that counts group by a number."""
        found = partition_counts(self.bronze, self._settings)
        rows = [(*pair, number, found.counts[pair]) for number, pair in enumerate(self.slices.pairs())]
        days = self.lake.spark.createDataFrame(rows, "cluster string, day date, slice int, offsets_partitions int")
        if found.any_elsewhere:
            commits = self.bronze.of_days("bronze.offset_records", ("commit",)).where("kind = 'commit'")
            self.misplaced = find_misplaced_files(commits, days)
        return days

    def _replay_groups(self) -> ReplayedGroups:
        has_records = self.bronze.has(GROUP_KINDS)
        if not has_records and not self.has_state("silver.groups"):
            return no_groups(self.lake.spark)
        topics = topic_names(self.log, self.positions_before) if has_records else {}
        replayed = replay_groups(
            self.log.only(GROUP_RECORD).rows(), self.groups_before, self.slices.pairs(), topics, self.problems
        )
        replayed.frame.persist()
        return replayed

    def _follow_groups(self) -> GroupHistories:
        if not self.bronze.has(("event", *GROUP_KINDS)) and not self.has_state("silver.stories"):
            return no_histories(self.lake.spark)
        generations = self.valid("silver.group_generations").where("generation is not null")
        if self.bronze.has(("event",)) and self.bronze.has(GROUP_KINDS):
            self.wrong_clocks = wrong_clocks(self.events, generations)
        right_clock = has_right_clock(self.wrong_clocks)
        histories = follow_groups(
            self.events if right_clock is None else self.events.only(right_clock),
            generations,
            self.valid("silver.group_members"),
            self.groups.owner_changes,
            self.histories_before,
            self.slices.pairs(),
            self.spill,
            self.problems,
        )
        histories.frame.persist()
        return histories

    def _read_lag(self, tasks: int) -> LagSeries:
        # Collected here, because the tasks that read the series of a log see nothing of groups.
        changes: GenerationChanges = {}
        if self.bronze.has(("group_offset",)):
            changes = generation_changes(self.histories.rebalances, self.histories_before)
        return read_lag_series(self.bronze, changes, self.spill, tasks, self.problems)


def columns_to_judge(columns: Sequence[str], rules: Sequence[Rule]) -> list[str]:
    """The columns that these rules and the counts need."""
    words = {word for rule in rules for word in re.findall(r"\w+", rule.broken_when)}
    return [name for name in columns if name in words or name in _COUNTED]
