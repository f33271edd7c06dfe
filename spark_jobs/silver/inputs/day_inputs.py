"""What the sources tell of some event days: read, laid over each other, and judged row by row."""

import pyarrow.compute as pc
from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from expectations import gate
from expectations.rule import Rule
from kafka_telemetry.spill import RowFilter
from spark_jobs.silver import lag_samples, offset_commits, rebalances
from spark_jobs.silver.inputs import group_histories, lag_series, replayed_groups, topic_names
from spark_jobs.silver.inputs.bronze_rows import Given
from spark_jobs.silver.inputs.log_lines import CONFIG, EVENT
from spark_jobs.silver.pipeline.declarations import MADE_OF, STATES

# How far a state knows the logs.
_READ_TO = ("cluster", "offsets_partition", "day", "log_read_to")


class Sources:
    """Nothing is asked for before it is needed, but for what tells how something else is asked for."""

    def __init__(self, given: Given) -> None:
        self.given = given
        self.lake, self.slices = given.lake, given.slices
        self.days = self.lake.spark.createDataFrame(
            [(*pair, number) for number, pair in enumerate(self.slices.pairs())], "cluster string, day date, slice int"
        )
        self.before, groups_before, self._stories_before = (given.before(state) for state in STATES)
        self.read_before = self.before.select(*_READ_TO).unionByName(groups_before.select(*_READ_TO))
        self.log, partitions = given.offsets_log(self.read_before, self.before)
        days = self.days.join(partitions, ["cluster", "day"])
        self.commits = offset_commits.Commits(self.log, days, self.rules("silver.offset_commits"))
        self.lines = given.log_lines()
        self.groups = self._groups(groups_before)
        # Judged rows by table. No rule asks what a line tells.
        self.offered = {
            "silver.offset_commits": self.commits.rows(),
            "silver.group_generations": self._judged("silver.group_generations", self.of_groups("generation")),
            "silver.group_members": self._judged("silver.group_members", self.of_groups("member")),
        }
        self.told = self._stories()
        self.series = self._series()
        self.offered["silver.lag_samples"] = self._judged("silver.lag_samples", lag_samples.offered(self.series))
        self._kept: list[DataFrame] = []

    def rules(self, table: str) -> list[Rule]:
        return gate.rules_for(table, self.given.settings.rule_actions, on="offered")

    def is_offered(self, table: str) -> bool:
        """Whether readers offer rows of it for these days."""
        return self.given.offers(*MADE_OF[table].kinds)

    def may_have(self, table: str) -> bool:
        """Whether rows of these days may be made, or stand since the days were made before."""
        may_be_made = self.is_offered(table) or any(map(self.given.starts_with, MADE_OF[table].states))
        return may_be_made or self.lake.may_contain(table, self.slices.pairs())

    def lawful(self, table: str) -> DataFrame:
        return gate.lawful(self.offered[table])

    def of_groups(self, kind: str) -> DataFrame:
        """Rows that group records tell: a kind of those that silver.group_log knows."""
        return replayed_groups.rows_of(self.groups, kind)

    def found(self, table: str) -> DataFrame:
        """What the rules found of each row, and no more than is counted beside it. With the number of the row's slice: what
        counts by slice then handles no texts."""
        if table == "silver.offset_commits":
            return self._packed(table, self.commits.narrow(), "previous_is_known")
        if table == "silver.lag_samples":
            samples = lag_samples.narrow(self.series, self.rules(table))
            return self._packed(table, self._numbered(self._judged(table, samples)))
        lines = {"silver.group_events": EVENT, "silver.client_configs": CONFIG}
        if table in lines:
            rows = self.lines.rows("cluster", "day", "delivered_on", "copies", where=lines[table])
            return self._numbered(self._judged(table, rows))
        return self._numbered(self.offered[table])

    def release(self) -> None:
        for rows in (self.log.pieces, self.series.pieces, self.groups, self.lines.pieces, self.told, *self._kept):
            rows.unpersist()

    def _groups(self, before: DataFrame) -> DataFrame:
        if not self.may_have("silver.groups"):
            return replayed_groups.nothing(self.lake.spark)
        offered = self.is_offered("silver.group_generations")
        names = topic_names.topic_names(self.log, self.before) if offered else {}
        records = self.log.rows(where=RowFilter(pc.field("kind") == "group", ("kind",)))
        return replayed_groups.followed(records, before, self.slices.pairs(), names).persist()

    def _stories(self) -> DataFrame:
        if not self.may_have("silver.rebalances"):
            return group_histories.nothing(self.lake.spark)
        generations = self.lawful("silver.group_generations").where("generation is not null")
        members = self.lawful("silver.group_members")
        before, days = self._stories_before, self.slices.pairs()
        return group_histories.told(self.lines, generations, members, before, days, self.given.spill).persist()

    def _series(self) -> lag_series.LagSeries:
        # Rebalances are asked for here: nothing else but rows of one log goes through the hands of a task that reads its
        # series.
        changes: lag_series.Changes = {}
        if self.is_offered("silver.lag_samples"):
            changes = lag_series.changes(rebalances.rebalances(self.told), self._stories_before)
        readings, wanted = self.given.readings(), self.slices.wanted()
        return lag_series.lag_series(self.lake.spark, readings, wanted, changes, self.given.spill)

    def _packed(self, table: str, rows: DataFrame, *more: str) -> DataFrame:
        """Found once, and asked for by the split and by Great Expectations."""
        rules = self.rules(table)
        packed = gate.packed(rows, rules, "slice", "delivered_on", "copies", *more)
        self._kept.append(packed.persist(StorageLevel.MEMORY_AND_DISK))
        return gate.unpacked(self._kept[-1], rules)

    def _judged(self, table: str, rows: DataFrame) -> DataFrame:
        return gate.judged(rows, self.rules(table))

    def _numbered(self, rows: DataFrame) -> DataFrame:
        return rows.join(F.broadcast(self.days), ["cluster", "day"])
