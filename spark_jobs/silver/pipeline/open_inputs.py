"""Opens the inputs of some event days, and frees what they hold."""

import contextlib
import datetime as dt
import shutil
from collections.abc import Iterator, Mapping

from kafka_telemetry.spill import Spill
from spark_jobs.lake import ledger
from spark_jobs.lake.kept_days import closed_to_silver, read_kept_days
from spark_jobs.lake.tables import Lake
from spark_jobs.settings import Settings
from spark_jobs.silver.inputs.bronze_contents import BronzeContents, bronze_contents
from spark_jobs.silver.inputs.bronze_kinds import LAG_KINDS
from spark_jobs.silver.inputs.day_inputs import DayInputs
from spark_jobs.silver.inputs.slices import Slices
from spark_jobs.silver.pipeline import plan
from spark_jobs.silver.pipeline.deliveries import Deliveries
from spark_jobs.silver.pipeline.registry import silver_tables
from spark_jobs.spark import session


@contextlib.contextmanager
def open_inputs(
    lake: Lake, settings: Settings, contents: BronzeContents, slices: Slices, start_days: Mapping[str, dt.date]
) -> Iterator[DayInputs]:
    tables = silver_tables()
    parsed_kinds = {kind for table in tables.values() if table.parsed for kind in table.bronze_kinds}
    tasks = session.tune_for(lake.spark, sum(contents.count(*pair, parsed_kinds) for pair in slices.pairs()))
    spill = Spill(session.create_task_folder(lake.spark))
    inputs = DayInputs(lake, settings, contents, slices, start_days, tables, spill, tasks)
    try:
        yield inputs
    finally:
        inputs.release()
        if spill.folder:
            shutil.rmtree(spill.folder)


@contextlib.contextmanager
def open_built_days(lake: Lake, settings: Settings, slices: Slices) -> Iterator[DayInputs]:
    """The inputs of days that were built, to judge their rows once more: of the deliveries that silver uses."""
    bronze, silver = ledger.newest(lake, "bronze"), ledger.newest(lake, "silver")
    kept = read_kept_days(lake)
    in_use = Deliveries.find(bronze, silver, dt.date.min, frozenset(), settings, kept.since("bronze")).in_use()
    kinds = {kind for table in silver_tables().values() for kind in table.bronze_kinds}
    contents = bronze_contents(bronze, in_use, kinds)
    start_days = plan.start_days(silver, slices, closed_to_silver(kept, bronze, LAG_KINDS))
    with open_inputs(lake, settings, contents, slices, start_days) as inputs:
        yield inputs
