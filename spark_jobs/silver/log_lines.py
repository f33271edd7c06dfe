"""A log line is one by cluster, origin, time and text, however often it was delivered."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F


def one_of_each(lines: DataFrame) -> DataFrame:
    """Adds `copies`, how many equal lines the row stands for. A line without a time is equal to no other."""
    place = F.when(F.col("happened_at").isNull(), F.concat_ws(":", "source_file", "source_position"))
    # Within one instant a fingerprint tells texts apart, and numbers are sorted faster than texts.
    same = Window.partitionBy("cluster", "happened_at", F.xxhash64("origin", "text", place))
    first = same.orderBy("delivered_on", "source_file", "source_position")
    return (
        lines.withColumns({"rank": F.row_number().over(first), "copies": F.count("*").over(same)})
        .where("rank = 1")
        .drop("rank")
    )
