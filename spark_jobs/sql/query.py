"""`lagoon sql`: runs one query on the lake and prints its result."""

import os
import sys

from spark_jobs.errors import UsageError
from spark_jobs.settings import Settings
from spark_jobs.sql.output import FORMATS, print_rows, rows_to_print


def run_query(settings: Settings, query: str, output_format: str) -> None:
    if output_format not in FORMATS:
        raise UsageError(f"there is no format {output_format!r}", f"Use one of {', '.join(FORMATS)}")
    from spark_jobs.lake.catalog import open_to_read
    from spark_jobs.spark import session
    from spark_jobs.sql.failures import in_one_sentence
    from spark_jobs.sql.read_only import open_query, read_only_session
    from spark_jobs.sql.rows import stream_rows

    lake = open_to_read(read_only_session(session.start_spark(settings, small=True)), settings.lake)
    frame = open_query(lake, query)
    try:
        with in_one_sentence():
            print_rows(frame.columns, stream_rows(frame, rows_to_print(output_format)), output_format)
            sys.stdout.flush()
    except BrokenPipeError:
        # The reader, such as `head`, has seen enough. Nothing may be written to the pipe again, at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
