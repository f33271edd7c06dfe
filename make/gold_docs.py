"""Writes dbt's documentation of a lake. dbt runs in this process, whose Spark session knows the tables."""

import datetime as dt
import sys

from spark_jobs import settings
from spark_jobs.errors import UserError
from spark_jobs.gold.dbt_runner import DbtRunner
from spark_jobs.lake.catalog import open_to_read
from spark_jobs.spark import session
from spark_jobs.visible_text import visible


def main(uri: str) -> int:
    loaded = settings.load(lake=uri)
    try:
        dbt = DbtRunner(open_to_read(session.start_spark(loaded), loaded.lake, loaded.store), loaded)
        print(dbt.write_docs(dt.datetime.now(dt.UTC).date()))
    except UserError as error:
        print(visible(str(error)), file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
