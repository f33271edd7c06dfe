"""What is offered for some event days, judged: how many rows go where, and what the rules found."""

import datetime as dt
from concurrent.futures import ThreadPoolExecutor, as_completed

from pyspark.sql import DataFrame, Row

from expectations import gate
from spark_jobs.silver import offset_commits
from spark_jobs.silver.inputs.day_inputs import Sources

# What is judged row by row.
TABLES = (
    *("silver.offset_commits", "silver.lag_samples", "silver.group_generations", "silver.group_members"),
    *("silver.group_events", "silver.client_configs"),
)


class Judged:
    def __init__(self, sources: Sources, judge: gate.Judge) -> None:
        self._sources, self._judge = sources, judge
        self._pairs = sources.slices.pairs()
        self._counted: dict[str, list[Row]] = {table: [] for table in TABLES}
        self.results: list[gate.Result] = []

    def judge(self) -> list[Row]:
        """Returns one row per table and delivery: how much was accepted, how much rejected."""
        offered = {table: self._sources.found(table) for table in TABLES if self._sources.is_offered(table)}
        results: dict[str, list[gate.Result]] = {}
        # Planning a query takes longer than running it on a small day, and one core. Great Expectations asks for what was
        # counted before: tasks that wait for what others make hold a core.
        with ThreadPoolExecutor(2) as pool:
            counting = {pool.submit(self._count, table, rows): table for table, rows in offered.items()}
            for done in as_completed(counting):
                table = counting[done]
                self._counted[table] = done.result()
                results[table] = self._compared(table, offered[table])
        for table in TABLES:
            rules = self._sources.rules(table)
            self.results += results.get(table) or gate.results(table, rules, self._pairs, [], [])
        return [row for rows in self._counted.values() for row in rows]

    def went(self, table: str, cluster: str, day: dt.date) -> tuple[int, int, int]:
        """How many rows of a slice were accepted, rejected and duplicate."""
        rows = [row for row in self._counted[table] if (row.cluster, row.day) == (cluster, day)]
        return sum(r.accepted for r in rows), sum(r.rejected for r in rows), sum(r.duplicate for r in rows)

    def any_rejected(self, *tables: str) -> bool:
        return any(row.rejected for table in tables for row in self._counted[table])

    def any_untold(self) -> bool:
        """Whether the log could not tell of every commit what position was before it."""
        return any(row.untold for row in self._counted["silver.offset_commits"])

    def look_back(self, table: str, *, is_written: bool) -> None:
        """The rules that look back judge what stands in the table, and only warn."""
        rules = gate.rules_for(table, self._sources.given.settings.rule_actions, on="accepted")
        if not rules or not is_written:
            self.results += gate.results(table, rules, self._pairs, [], [])
            return
        rows = gate.judged(self._sources.lake.read(table).where(self._sources.slices.where()), rules)
        counted = rows.groupBy("cluster", "day").agg(*gate.counts(rules)).collect()
        verdicts = self._judge.verdicts(f"{table}, accepted", rows, rules)
        self.results += gate.results(table, rules, self._pairs, counted, verdicts)

    def _count(self, table: str, rows: DataFrame) -> list[Row]:
        asked = [*gate.tally(), *gate.counts(self._sources.rules(table))]
        if table == "silver.offset_commits":
            asked.append(offset_commits.untold())
        counted = [row.asDict() for row in rows.groupBy("slice", "delivered_on").agg(*asked).collect()]
        return [Row(**row, **dict(zip(("cluster", "day"), self._pairs[row["slice"]], strict=True))) for row in counted]

    def _compared(self, table: str, rows: DataFrame) -> list[gate.Result]:
        """What the split counted, once Great Expectations has counted the same."""
        rules = self._sources.rules(table)
        verdicts = self._judge.verdicts(f"{table}, offered", rows, rules)
        return gate.results(table, rules, self._pairs, self._counted[table], verdicts)
