"""All sources, from the declarations of the bronze tables."""

from spark_jobs.bronze import lag_readings, log_lines, offset_records

BRONZE_SOURCES = {source.name: source for source in (log_lines.SOURCE, offset_records.SOURCE, lag_readings.SOURCE)}
