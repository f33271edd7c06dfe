"""Some event days in a row, made together: what is offered is judged once, and what is lawful is written."""

import datetime as dt
import functools
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass

import pyarrow.compute as pc
from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame, Observation, Row
from pyspark.sql import functions as F

import schemas
from expectations import gate
from expectations.rule import Rule
from spark_jobs import ledger, session
from spark_jobs.lake import Lake, TaskRows
from spark_jobs.ledger import Entry, Run, fingerprint
from spark_jobs.settings import Settings
from spark_jobs.shelf import Shelf, Wanted
from spark_jobs.silver import (
    client_configs,
    commit_owners,
    group_events,
    group_generations,
    group_log,
    group_members,
    group_owners,
    group_story,
    groups,
    lag_samples,
    lag_series,
    log_holes,
    log_offsets,
    member_sessions,
    offset_commits,
    positions,
    rebalances,
    stories,
    tombstones,
    topic_names,
    unfinished,
)
from spark_jobs.silver import days as days_of
from spark_jobs.silver.days import STATE, Inputs, Ledger
from spark_jobs.silver.end_of_day import logs_read
from spark_jobs.silver.given import Given
from spark_jobs.silver.log_lines import CONFIG, EVENT
from spark_jobs.silver.made_of import MADE_OF, STATES
from spark_jobs.silver.slices import Slices

# What is judged row by row, and the kinds of bronze rows that it is made of; members are told within records of groups.
_JUDGED = {
    "silver.offset_commits": ("commit", "unplaced_commit"),
    "silver.lag_samples": ("group_offset",),
    "silver.group_generations": ("group", "unplaced_group"),
    "silver.group_members": (),
    "silver.group_events": ("event",),
    "silver.client_configs": ("config",),
}
# How far a state knows the logs.
_READ_TO = ("cluster", "offsets_partition", "day", "log_read_to")


@dataclass(frozen=True)
class Making:
    """What every block of a run needs."""

    lake: Lake
    settings: Settings
    judge: gate.Judge
    run: Run


class Block:
    def __init__(self, making: Making, inputs: Inputs, silver: Ledger, slices: Slices) -> None:
        self._making, self._inputs, self._slices = making, inputs, slices
        self._lake = making.lake
        self._started = ledger.now()
        session.suit(
            self._lake.spark, sum(inputs.rows(*pair, kinds) for pair in slices.pairs() for kinds in _JUDGED.values())
        )
        self._days = self._lake.spark.createDataFrame(
            [(*pair, number) for number, pair in enumerate(slices.pairs())], "cluster string, day date, slice int"
        )
        starts = {cluster: days_of.day_before(silver, cluster, days[0]) for cluster, days in slices.days.items()}
        self._starts = {cluster: silver[cluster, day, STATE].leaves if day else None for cluster, day in starts.items()}
        self._shelf = Shelf(session.folder_of_tasks(self._lake.spark))
        known = {cluster: day for cluster, day in starts.items() if day}
        self._given = given = Given(self._lake, making.settings, inputs, slices, known, self._shelf)
        self._before, groups_before, self._stories_before = (given.before(state) for state in STATES)
        self._read_before = self._before.select(*_READ_TO).unionByName(groups_before.select(*_READ_TO))
        self._log, partitions = given.offsets_log(self._read_before, self._before)
        days = self._days.join(partitions, ["cluster", "day"])
        self._commits = offset_commits.Commits(self._log, days, self._rules("silver.offset_commits"))
        self._lines = given.log_lines()
        self._groups = self._groups_followed(groups_before)
        self._offered = {
            "silver.offset_commits": self._commits.rows(),
            "silver.group_generations": self._judged(
                "silver.group_generations", group_log.rows_of(self._groups, "generation")
            ),
            "silver.group_members": self._judged("silver.group_members", group_log.rows_of(self._groups, "member")),
        }
        self._told = self._group_story().persist()
        # They are asked for here: nothing else but rows of one log goes through the hands of a task that reads its series.
        changes = (
            lag_series.changes(rebalances.rebalances(self._told)) if self._is_offered("silver.lag_samples") else {}
        )
        self._series = lag_series.lag_series(self._lake.spark, given.readings(), slices.wanted(), changes, self._shelf)
        samples = lag_samples.narrow(self._series, self._rules("silver.lag_samples"))
        self._offered["silver.lag_samples"] = self._judged("silver.lag_samples", lag_samples.offered(self._series))
        # Found once, and asked for by the split and by Great Expectations.
        self._found = {
            table: gate.packed(rows, self._rules(table), "slice", "delivered_on", "copies", *more).persist(
                StorageLevel.MEMORY_AND_DISK
            )
            for table, rows, more in (
                ("silver.offset_commits", self._commits.narrow(), ["previous_is_known"]),
                ("silver.lag_samples", self._numbered(self._judged("silver.lag_samples", samples)), []),
            )
        }
        self._judged_by = {
            table: gate.unpacked(self._found[table], self._rules(table))
            if table in self._found
            else self._numbered(rows)
            for table, rows in self._offered.items()
        }
        # No rule asks what a line tells.
        for table, lines in (("silver.group_events", EVENT), ("silver.client_configs", CONFIG)):
            rows = self._lines.rows("cluster", "day", "delivered_on", "copies", where=lines)
            self._judged_by[table] = self._numbered(self._judged(table, rows))
        self._counted: dict[str, list[Row]] = {}
        self.results: list[gate.Result] = []

    def judge(self) -> list[Row]:
        """Judges what is offered. Returns one row per table and delivery: how much was accepted, how much rejected."""
        rules = {table: self._rules(table) for table in self._judged_by}
        found: dict[str, list[gate.Result]] = {}
        # Planning a query takes longer than running it on a small day, and one core. Great Expectations asks for what was
        # counted before: tasks that wait for what others make hold a core.
        with ThreadPoolExecutor(2) as pool:
            counting = {
                pool.submit(self._count, table, rows, rules[table]): table
                for table, rows in self._judged_by.items()
                if self._is_offered(table)
            }
            for done in as_completed(counting):
                table = counting[done]
                self._counted[table] = done.result()
                verdicts = self._making.judge.verdicts(f"{table}, offered", self._judged_by[table], rules[table])
                found[table] = gate.results(table, rules[table], self._slices.pairs(), self._counted[table], verdicts)
        for table in self._judged_by:
            self._counted.setdefault(table, [])
            self.results += found.get(table) or gate.results(table, rules[table], self._slices.pairs(), [], [])
        return [row for table in self._judged_by for row in self._counted[table]]

    def _count(self, table: str, rows: DataFrame, rules: Sequence[Rule]) -> list[Row]:
        asked = [*gate.tally(), *gate.counts(rules)]
        if table == "silver.offset_commits":
            asked.append(offset_commits.untold())
        pairs = self._slices.pairs()
        counted = [row.asDict() for row in rows.groupBy("slice", "delivered_on").agg(*asked).collect()]
        return [Row(**row, **dict(zip(("cluster", "day"), pairs[row["slice"]], strict=True))) for row in counted]

    def slices_made(self) -> list[tuple[str, dt.date, str, int, int, int, int]]:
        """(cluster, day, table, offered, accepted, rejected, duplicate): what the readers offered, and where it went."""
        return [
            (cluster, day, table, self._offered_by_readers(table, cluster, day), *self._went(table, cluster, day))
            for table in _JUDGED
            for cluster, day in self._slices.pairs()
        ]

    def write(self) -> list[Entry]:
        """Writes the days; a day stands once it is in the ledger."""
        where = self._slices.where()
        tables = {table: make for table, make in self._tables().items() if self._may_have(table)}
        states = {table: Observation(table) for table in STATES if table in tables}

        def write(table: str) -> None:
            made = tables[table]()
            if isinstance(made, list):
                self._lake.replace_by_tasks(table, made, where)
            elif table in states:
                self._lake.replace(table, made.observe(states[table], *self._hashes(table)), where)
            else:
                self._lake.replace(table, made, where)

        # Delta's commits wait more than they work.
        with ThreadPoolExecutor(6) as pool:
            writes = {table: pool.submit(write, table) for table in tables}
            for table in _JUDGED:
                if table in writes:
                    writes[table].result()
                self._warn(table, is_written=table in writes)
            for written in writes.values():
                written.result()
        return self._entries([states[table].get if table in states else {} for table in STATES])

    def _tables(self) -> dict[str, Callable[[], DataFrame | list[TaskRows]]]:
        """How each table is made. What tasks make is a list, and written by them: it need not pass through Spark."""
        ends = self._days.groupBy("cluster").agg(F.collect_list("day").alias("days"))

        def lawful(table: str) -> DataFrame:
            return gate.lawful(self._offered[table])

        def states(make: Callable[[DataFrame], DataFrame]) -> DataFrame:
            furthest = Wanted(pc.field("furthest"), ("furthest",))
            read = self._log.rows("cluster", "offsets_partition", "day", "record_offset", "holes", where=furthest)
            return make(logs_read(ends, read, self._read_before))

        def standing_positions(logs: DataFrame) -> DataFrame:
            standing = offset_commits.standing(self._commits, self._of_disturbed)
            return positions.positions(standing, self._before, logs, ends, self._given.ended())

        return {
            # First what takes longest.
            "silver.offset_commits": self._commits_told,
            "silver.rebalances": lambda: rebalances.rebalances(self._told),
            "silver.member_sessions": lambda: member_sessions.member_sessions(self._told),
            "silver.stories": lambda: stories.stories(self._told),
            "silver.group_events": lambda: [group_events.events(self._lines)],
            "silver.lag_samples": self._samples,
            "silver.log_offsets": lambda: [log_offsets.made(self._series)],
            "silver.client_configs": lambda: client_configs.configs(self._lines),
            "silver.group_generations": lambda: group_generations.generations(lawful("silver.group_generations")),
            "silver.group_members": lambda: group_members.members(lawful("silver.group_members")),
            "silver.group_owners": self._owners,
            STATE: lambda: states(standing_positions),
            "silver.groups": lambda: states(lambda logs: groups.groups(group_log.rows_of(self._groups, "group"), logs)),
            "silver.log_holes": lambda: log_holes.log_holes(self._log),
            "silver.unfinished": lambda: unfinished.unfinished(offset_commits.waiting(self._commits)),
            "quality.rejected_rows": self._rejected,
        }

    @functools.cached_property
    def _disturbed(self) -> DataFrame | None:
        any_untold = any(row.rejected or row.untold for row in self._counted["silver.offset_commits"])
        return offset_commits.disturbed(self._commits, self._before, any_untold=any_untold)

    @functools.cached_property
    def _of_disturbed(self) -> Wanted | None:
        return offset_commits.of_keys(self._disturbed)

    def _commits_told(self) -> list[TaskRows]:
        in_doubt = offset_commits.in_doubt(self._of_disturbed)
        is_told = self._is_offered("silver.group_events") and self._is_offered("silver.offset_commits")
        lines = self._lines if is_told else None
        doubted = tombstones.with_ends(gate.lawful(self._commits.rows(where=in_doubt)), self._log, lines)
        accepted = offset_commits.accepted(doubted, self._before, self._disturbed)
        changes = commit_owners.laid_down(self._owners(), self._shelf)
        made = (self._commits.told(in_doubt), TaskRows(accepted))
        return [commit_owners.with_owners(rows, changes, self._shelf) for rows in made]

    def _owners(self) -> DataFrame:
        return group_owners.owners(group_log.rows_of(self._groups, "owner"), rebalances.rebalances(self._told))

    def _samples(self) -> DataFrame | list[TaskRows]:
        if any(row.rejected for row in self._counted["silver.lag_samples"]):
            return gate.lawful(self._offered["silver.lag_samples"])
        return [lag_samples.made(self._series)]

    def release(self) -> None:
        kept = (
            self._log.pieces,
            self._series.pieces,
            self._groups,
            self._lines.pieces,
            self._told,
            *self._found.values(),
        )
        for rows in kept:
            rows.unpersist()
        if self._shelf.folder:
            shutil.rmtree(self._shelf.folder)

    def _groups_followed(self, before: DataFrame) -> DataFrame:
        if not self._may_have("silver.groups"):
            return group_log.nothing(self._lake.spark)
        offered = self._is_offered("silver.group_generations")
        names = topic_names.topic_names(self._log, self._before) if offered else {}
        records = self._log.rows(where=Wanted(pc.field("kind") == "group", ("kind",)))
        return group_log.followed(records, before, self._slices.pairs(), names).persist()

    def _group_story(self) -> DataFrame:
        lawful = {table: gate.lawful(rows) for table, rows in self._offered.items()}
        return group_story.told(
            self._lines, lawful["silver.group_generations"].where("generation is not null"),
            lawful["silver.group_members"], self._stories_before, self._slices.pairs(), self._shelf,
        )  # fmt: skip

    def _is_offered(self, table: str) -> bool:
        """Whether readers offer rows of it for these days. What is not offered needs no judge."""
        return self._given.offers(*MADE_OF[table].kinds)

    def _may_have(self, table: str) -> bool:
        """Whether rows of these days may be made, or stand since the days were made before. What neither is nor was is not
        asked for."""
        if table == "quality.rejected_rows":
            is_made = any(row.rejected for rows in self._counted.values() for row in rows)
        else:
            is_made = self._is_offered(table) or any(self._given.starts_with(state) for state in MADE_OF[table].states)
        return is_made or self._lake.may_hold(table, self._slices.pairs())

    def _judged(self, table: str, rows: DataFrame) -> DataFrame:
        return gate.judged(rows, self._rules(table))

    def _rules(self, table: str) -> list[Rule]:
        return gate.rules_for(table, self._making.settings.rule_actions, on="offered")

    def _numbered(self, rows: DataFrame) -> DataFrame:
        """With the number of the row's slice: what counts by slice then handles no texts."""
        return rows.join(F.broadcast(self._days), ["cluster", "day"])

    def _offered_by_readers(self, table: str, cluster: str, day: dt.date) -> int:
        """Counted apart from the split. Of members nobody counts before they are judged."""
        kinds = _JUDGED[table]
        return self._inputs.rows(cluster, day, kinds) if kinds else sum(self._went(table, cluster, day))

    def _went(self, table: str, cluster: str, day: dt.date) -> tuple[int, int, int]:
        rows = [row for row in self._counted[table] if (row.cluster, row.day) == (cluster, day)]
        return sum(r.accepted for r in rows), sum(r.rejected for r in rows), sum(r.duplicate for r in rows)

    def _rejected(self) -> DataFrame:
        """What lies in quarantine after this: first seen when it was first rejected, however often it is judged again."""
        columns = schemas.table("quality.rejected_rows").column_names
        fresh = None
        for table, rows in self._offered.items():
            told = F.to_json(F.struct(*[c for c in schemas.table(table).column_names if c in rows.columns]))
            part = gate.unlawful(rows).select(
                *("cluster", "day", "rules", "source_file", "source_position", "delivered_on"),
                F.lit(table).alias("table_name"),
                told.alias("row_json"),
            )
            fresh = part if fresh is None else fresh.unionByName(part)
        assert fresh is not None
        key = ["cluster", "day", "table_name", "source_file", "source_position", "row_json"]
        known = self._lake.read("quality.rejected_rows").where(self._slices.where())
        known = known.groupBy(*key).agg(F.min("rejected_at").alias("first_at"))
        rejected_at = F.coalesce("first_at", F.lit(self._started))
        return (
            fresh.join(known, key, "left")
            .withColumn("rejected_at", rejected_at)
            .withColumn("replayed_at", F.lit(None).cast("timestamp"))
            .select(*columns)
        )

    def _warn(self, table: str, *, is_written: bool) -> None:
        """The rules that look back judge what stands in the table."""
        rules = gate.rules_for(table, self._making.settings.rule_actions, on="accepted")
        if not rules:
            return
        if not is_written:
            self.results += gate.results(table, rules, self._slices.pairs(), [], [])
            return
        rows = gate.judged(self._lake.read(table).where(self._slices.where()), rules)
        counted = rows.groupBy("cluster", "day").agg(*gate.counts(rules)).collect()
        verdicts = self._making.judge.verdicts(f"{table}, accepted", rows, rules)
        self.results += gate.results(table, rules, self._slices.pairs(), counted, verdicts)

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
