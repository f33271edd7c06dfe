"""Writes the tables of some event days, and returns the ledger entries by which the days count as built."""

import datetime as dt
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F

import schemas
from expectations import gate
from spark_jobs.lake import ledger
from spark_jobs.lake.ledger import ClusterDay, Entry
from spark_jobs.silver.inputs.day_inputs import DayInputs
from spark_jobs.silver.pipeline.rejected_rows import REJECTED_ROWS, build_rejected_rows, may_have_rejected_rows
from spark_jobs.silver.pipeline.validate import validate_accepted
from spark_jobs.silver.silver_table import Rows, SilverTable


@dataclass(frozen=True)
class Written:
    # Fingerprints of the end-of-day states, by cluster and day.
    states: Mapping[tuple[str, dt.date], int]
    results: list[gate.RuleResult]


def write_tables(
    inputs: DayInputs,
    tables: Mapping[str, SilverTable],
    validator: gate.Validator,
    started_at: dt.datetime,
    doing: Callable[[str], None],
) -> Written:
    """Replaces the slices of the days in every table that may have rows of them, several tables at a time."""
    builds: dict[str, Callable[[], Rows]] = {
        table.name: partial(table.build, inputs) for table in tables.values() if inputs.may_have_rows(table)
    }
    if may_have_rejected_rows(inputs, tables.values()):
        builds[REJECTED_ROWS] = partial(build_rejected_rows, inputs, tables.values(), started_at)
    states = {
        table.name: Observation(table.name) for table in tables.values() if table.is_state and table.name in builds
    }
    results: list[gate.RuleResult] = []
    # A Delta commit mostly waits.
    doing(f"0 of {len(builds)} tables written")
    with ThreadPoolExecutor(6) as pool:
        writes = {name: pool.submit(_write, inputs, name, build, states.get(name)) for name, build in builds.items()}
        for write in writes.values():
            write.add_done_callback(
                lambda _: doing(f"{sum(write.done() for write in writes.values())} of {len(writes)} tables written")
            )
        for table in tables.values():
            if table.parsed is not None:
                if table.name in writes:
                    writes[table.name].result()
                results += validate_accepted(inputs, table, validator, is_written=table.name in writes)
        for write in writes.values():
            write.result()
    if inputs.problems.found():
        # Known only now, when all tasks have run.
        _write(inputs, REJECTED_ROWS, partial(build_rejected_rows, inputs, tables.values(), started_at), None)
    return Written(_state_fingerprints(inputs, tables, states), results)


def row_count_entries(inputs: DayInputs, tables: Mapping[str, SilverTable], started_at: dt.datetime) -> list[Entry]:
    """One entry per table with parsed rows and day. `rows_in` is what the readers counted, apart from the validation."""
    entries = []
    for table in tables.values():
        if table.parsed is None:
            continue
        for cluster, day in inputs.slices.pairs():
            accepted, rejected, duplicate = inputs.counts.of_slice(table.name, cluster, day)
            read = inputs.bronze.contents.count(cluster, day, table.bronze_kinds)
            entries.append(
                Entry(
                    cluster, "silver", day, table.name, started_at, inputs.lake.clock.now(),
                    rows_in=read if table.counted_by_reader else accepted + rejected + duplicate,
                    rows_accepted=accepted, rows_rejected=rejected, rows_duplicate=duplicate,
                )
            )  # fmt: skip
    return entries


def _write(inputs: DayInputs, name: str, build: Callable[[], Rows], state: Observation | None) -> None:
    rows, where = build(), inputs.slices.where()
    if isinstance(rows, DataFrame):
        inputs.lake.replace(name, rows if state is None else rows.observe(state, *_hashes(inputs, name)), where)
    else:
        inputs.lake.replace_by_tasks(name, rows, where)


def _hashes(inputs: DayInputs, table: str) -> list[Column]:
    """A hash of the rows of each slice, whatever their order."""
    content = F.xxhash64(*[name for name in schemas.table(table).column_names if name != "day"])
    return [
        F.bit_xor(F.when((F.col("cluster") == cluster) & (F.col("day") == F.lit(day)), content)).alias(f"s{number}")
        for number, (cluster, day) in enumerate(inputs.slices.pairs())
    ]


def _state_fingerprints(
    inputs: DayInputs, tables: Mapping[str, SilverTable], observed: Mapping[str, Observation]
) -> dict[ClusterDay, int]:
    states = [name for name in sorted(tables) if tables[name].is_state]
    hashes = [observed[name].get if name in observed else {} for name in states]
    return {
        pair: ledger.fingerprint(hash_of_slice.get(f"s{number}") for hash_of_slice in hashes)
        for number, pair in enumerate(inputs.slices.pairs())
    }
