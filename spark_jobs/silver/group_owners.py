"""silver.group_owners: the generation in force and the owners of partitions, one row per change, in log order."""

from pyspark.sql import DataFrame

from spark_jobs.silver.inputs.bronze_kinds import GROUP_KINDS
from spark_jobs.silver.inputs.day_inputs import DayInputs
from spark_jobs.silver.inputs.owner_changes import owner_changes
from spark_jobs.silver.silver_table import SilverTable


def build(inputs: DayInputs) -> DataFrame:
    """The same changes tell each commit its owner (inputs/commit_owners.py)."""
    return owner_changes(inputs)


TABLE = SilverTable(
    name="silver.group_owners",
    build=build,
    bronze_kinds=("event", *GROUP_KINDS),
    states=("silver.groups", "silver.stories"),
)
