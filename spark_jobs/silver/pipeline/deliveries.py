"""Which deliveries silver uses: those that are new, those that it has used before, and those that are halted."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field

from expectations import gate
from spark_jobs.bronze.sources import BRONZE_SOURCES
from spark_jobs.lake import ledger
from spark_jobs.lake.ledger import ClusterDay, Entry, Ledger
from spark_jobs.settings import Settings
from spark_jobs.settings_file import SILVER, VERDICTS
from spark_jobs.settings_fingerprint import settings_fingerprint

# The table name under which the ledger keeps the verdict on a delivery.
DELIVERY = "delivery"
LOST_ROWS_RULE = "nothing_went_missing"


@dataclass
class Deliveries:
    """A delivery that is halted is left out until it passes; what an earlier version of it brought stays as it is."""

    bronze: Ledger
    # The verdicts on the deliveries that were judged before.
    verdicts: Mapping[ClusterDay, Entry]
    # A fingerprint of all files of each delivery.
    contents: Mapping[ClusterDay, int]
    # A fingerprint of the settings that each delivery is judged with.
    settings: Mapping[ClusterDay, int | None]
    usable: Set[ClusterDay]
    new: Set[ClusterDay]
    # Why each halted delivery is halted; empty where an earlier run found out.
    halted: dict[ClusterDay, str] = field(default_factory=dict)

    @staticmethod
    def find(
        bronze: Ledger,
        silver: Ledger,
        until: dt.date | None,
        force: Set[dt.date],
        settings: Settings,
        kept_since: dt.date = dt.date.min,
    ) -> "Deliveries":
        """Takes every delivery up to `until` that was not taken yet or was judged with other settings, and those of the
        days `force`. Before `kept_since` bronze has no rows any more: those deliveries are as they were judged."""
        verdicts = {(cluster, day): entry for (cluster, day, table), entry in silver.items() if table == DELIVERY}
        contents = contents_of(bronze)
        usable = {
            pair
            for pair in contents
            if (pair in verdicts and (pair[1] >= kept_since or verdicts[pair].outcome == "done"))
            or (pair[1] >= kept_since and (until is None or pair[1] <= until))
        }
        judged_with = {pair: settings_fingerprint(settings, [VERDICTS, SILVER], [pair[0]]) for pair in usable}
        now = {pair: (contents[pair], judged_with[pair]) for pair in usable}
        new = {
            pair
            for pair in usable
            if pair[1] >= kept_since
            and (
                pair[1] in force
                or pair not in verdicts
                or (verdicts[pair].inputs, verdicts[pair].settings) != now[pair]
            )
        }
        halted = {pair: "" for pair in usable - new if verdicts[pair].outcome == "halted"}
        return Deliveries(bronze, verdicts, contents, judged_with, usable, new, halted)

    def in_use(self) -> set[ClusterDay]:
        return self.usable - self.halted.keys()

    def event_days(self, deliveries: Iterable[ClusterDay]) -> set[ClusterDay]:
        """The event days that these deliveries have rows of."""
        chosen = set(deliveries)
        return {
            (cluster, rows.day)
            for (cluster, delivered_on, _), entry in self.bronze.items()
            if (cluster, delivered_on) in chosen
            for rows in entry.event_rows
        }

    def frozen_days(self) -> set[ClusterDay]:
        """The event days of halted deliveries that were in use before."""
        return self.event_days(
            pair for pair in self.halted if pair in self.verdicts and _is_in_tables(self.verdicts[pair])
        )

    def bringing(self, kinds: Iterable[str]) -> dict[str, set[dt.date]]:
        """The new deliveries that have rows of these kinds: days by cluster."""
        wanted = set(kinds)
        days: dict[str, set[dt.date]] = {}
        for (cluster, delivered_on, _), entry in self.bronze.items():
            if (cluster, delivered_on) in self.new and any(rows.kind in wanted for rows in entry.event_rows):
                days.setdefault(cluster, set()).add(delivered_on)
        return days

    def missing_sources(self, settings: Settings) -> dict[ClusterDay, list[str]]:
        """Sources that the settings expect of each new delivery and that brought nothing."""
        arrived = {pair for pair, entry in self.bronze.items() if entry.event_rows}
        return {
            (cluster, day): [s for s in expected if (cluster, day, BRONZE_SOURCES[s].table) not in arrived]
            for cluster, day in sorted(self.new)
            if (expected := settings.cluster(cluster).expected_sources)
        }

    def halt(self, results: Sequence[gate.RuleResult]) -> bool:
        """Halts the deliveries that a rule halts. Returns whether there are any."""
        halted = {
            (result.cluster, result.day): f"it is broken that {result.rule.because}"
            for result in results
            if result.broken and result.rule.action == "halt" and result.rule.name != LOST_ROWS_RULE
        }
        if any(result.broken and result.rule.name == LOST_ROWS_RULE for result in results):
            # An event day that lost rows does not say which delivery lost them: all new ones are left out.
            halted |= dict.fromkeys(self.new - self.halted.keys(), "rows went missing between reading and writing")
        self.halted |= halted
        return bool(halted)

    def verdict_entries(self, started_at: dt.datetime, ended_at: dt.datetime) -> list[Entry]:
        return [self._verdict(pair, started_at, ended_at) for pair in sorted(self.new)]

    def _verdict(self, pair: ClusterDay, started_at: dt.datetime, ended_at: dt.datetime) -> Entry:
        is_halted, before = pair in self.halted, self.verdicts.get(pair)
        return Entry(
            *(pair[0], "silver", pair[1], DELIVERY, started_at, ended_at),
            outcome="halted" if is_halted else "done",
            inputs=self.contents[pair],
            result=int(is_halted and before is not None and _is_in_tables(before)),
            settings=self.settings[pair],
        )


def contents_of(bronze: Ledger) -> dict[ClusterDay, int]:
    parts: dict[ClusterDay, list[tuple[str, int | None]]] = {}
    for (cluster, delivered_on, table), entry in sorted(bronze.items()):
        parts.setdefault((cluster, delivered_on), []).append((table, entry.result))
    return {pair: ledger.fingerprint(of_delivery) for pair, of_delivery in parts.items()}


def _is_in_tables(verdict: Entry) -> bool:
    """Whether a delivery, halted now or not, was used before, so that its rows are in the tables."""
    return verdict.outcome == "done" or bool(verdict.result)
