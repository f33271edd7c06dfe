"""silver.lag_samples: what reporters told of groups' positions, and what it means."""

from pyspark.sql import DataFrame

import schemas
from spark_jobs.silver.one_log import Log

# What the rules ask of a sample, and what is counted of it.
JUDGED_BY = (
    *("cluster", "day", "delivered_on", "sampled_at", "committed_offset", "log_start_offset", "log_end_offset", "lag"),
    *(
        "known_log_start_offset",
        "reported_lag",
        "lag_meaning",
        "previous_log_end_offset",
        "other_log_end_offset",
        "unchanged_since",
    ),
    *("generation_changed_at", "copies"),
)


def offered(samples: Log) -> DataFrame:
    """`samples` are those of silver.lag_series: each once, `copies` telling how many it stands for."""
    return samples.rows(*schemas.table("silver.lag_samples").column_names, "copies")
