"""Models that can't have rows of some days, because nothing that they read has any: they need not be built.

A row of a day comes from at least one row of that day in something that the model reads. So a model has none if no table that it
reads, itself or through other models, has a file of the day. If it has a file of the day itself, it is built, and becomes empty.
"""

import functools
from collections.abc import Set
from typing import TYPE_CHECKING

import schemas
from spark_jobs.lake.ledger import ClusterDay
from spark_jobs.lake.tables import Lake

if TYPE_CHECKING:
    from dbt.contracts.graph.manifest import Manifest


def models_without_rows(manifest: "Manifest", lake: Lake, pairs: Set[ClusterDay]) -> list[str]:
    """`pairs` are the clusters and event days to build."""
    models = {key: node for key, node in manifest.nodes.items() if node.resource_type.value == "model"}
    days = {(day,) for _, day in pairs}

    @functools.cache
    def may_have_rows(key: str) -> bool:
        if source := manifest.sources.get(key):
            return _may_have_rows(lake, f"{source.schema}.{source.name}", pairs)
        model = models[key]
        is_table = model.config.materialized != "ephemeral"
        return (is_table and lake.may_contain(f"gold.{model.name}", days)) or any(
            may_have_rows(read) for read in model.depends_on_nodes
        )

    return sorted(node.name for key, node in models.items() if not may_have_rows(key))


def _may_have_rows(lake: Lake, table: str, pairs: Set[ClusterDay]) -> bool:
    # The files of other tables are not kept by event day.
    return schemas.table(table).partitioned_by != ("cluster", "day") or lake.may_contain(table, pairs)
