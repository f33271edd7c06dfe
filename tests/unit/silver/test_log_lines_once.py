"""A log line is one by cluster, origin, time and text."""

from pyspark.sql import SparkSession

from spark_jobs.silver.log_lines import one_of_each

COLUMNS = "cluster string, origin string, happened_at timestamp, text string, delivered_on date, source_file string, source_position bigint"


def test_equal_lines_are_one_however_often_they_were_delivered_and_without_a_time_none_is_equal(
    spark: SparkSession,
) -> None:
    def line(cluster: str, origin: str | None, at: str | None, text: str, file: str, position: int) -> str:
        origin, at = (f"'{origin}'" if origin else "null"), (f"timestamp'2026-01-02 {at}'" if at else "null")
        return f"('{cluster}', {origin}, {at}, '{text}', date'2026-01-02', '{file}', {position})"

    given = [
        line("c", "b1", "10:00:00", "x", "server.log", 7),
        line("c", "b1", "10:00:00", "x", "server.log.1", 3),
        line("c", "b1", "10:00:00", "y", "server.log", 8),
        line("c", "b2", "10:00:00", "x", "server.log", 7),
        line("c", None, "10:00:00", "x", "server.log", 7),
        line("d", "b1", "10:00:00", "x", "server.log", 7),
        line("c", "b1", "10:00:01", "x", "server.log", 9),
        line("c", "b1", None, "x", "server.log", 10),
        line("c", "b1", None, "x", "server.log", 11),
    ]
    names = ", ".join(column.split()[0] for column in COLUMNS.split(", "))
    rows = one_of_each(spark.sql(f"select * from values {', '.join(given)} as told({names})")).collect()
    found = sorted((row.cluster, row.source_file, row.source_position, row.copies) for row in rows)
    assert found == [
        ("c", "server.log", 7, 1),
        ("c", "server.log", 7, 1),
        ("c", "server.log", 7, 2),
        ("c", "server.log", 8, 1),
        ("c", "server.log", 9, 1),
        ("c", "server.log", 10, 1),
        ("c", "server.log", 11, 1),
        ("d", "server.log", 7, 1),
    ]
