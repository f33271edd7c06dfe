"""silver.lag_samples: what reporters told of groups' positions, and what it means."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import schemas


def offered(samples: DataFrame, changes: DataFrame | None = None) -> DataFrame:
    """Samples of positions, each once, beside the last of the `changes` of their group's generation before them (cluster,
    group_id, changed_at: an array). `copies` tells how many each stands for.
    """
    changed_at = F.lit(None).cast("timestamp")
    if changes is not None:
        samples = samples.join(F.broadcast(changes), ["cluster", "group_id"], "left")
        # Asked only of what may be frozen.
        asked = F.col("unchanged_since").isNotNull() | F.col("left_out_since").isNotNull()
        before = F.filter("changed_at", lambda at: at <= F.col("sampled_at"))
        changed_at = F.when(asked, F.array_max(before))
    return samples.withColumn("generation_changed_at", changed_at).select(
        *schemas.table("silver.lag_samples").column_names, "copies"
    )


def changes(rebalances: DataFrame) -> DataFrame:
    """When the generation of each group changed: `rebalances` are rows of silver.rebalances."""
    at = F.coalesce("completed_at", "told_at")
    return rebalances.groupBy("cluster", "group_id").agg(F.collect_list(at).alias("changed_at"))
