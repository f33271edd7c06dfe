"""silver.lag_samples: what reporters told of groups' positions, and what it means."""

from pyspark.sql import DataFrame

import schemas


def offered(samples: DataFrame) -> DataFrame:
    """`samples` are those of silver.lag_series: each once, `copies` telling how many it stands for."""
    return samples.select(*schemas.table("silver.lag_samples").column_names, "copies")
