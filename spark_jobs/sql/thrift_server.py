"""`lagoon thrift-server`: Spark's Thrift server on one lake, for tools that speak JDBC, ODBC or Hive's protocol."""

import threading
from dataclasses import replace

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from rich.console import Console

from spark_jobs.errors import UserError
from spark_jobs.lake.catalog import register_new_tables
from spark_jobs.printing import print_command, print_line
from spark_jobs.settings import Settings
from spark_jobs.spark import session

# A table that a run has created can be queried after this time, without a restart.
_SECONDS_BETWEEN_LOOKS = 10.0


def serve(settings: Settings, *, host: str, port: int, output: Console) -> None:
    """Serves until it is interrupted. All clients see the tables under their names, in sessions of their own."""
    address = {
        "spark.hadoop.hive.server2.thrift.bind.host": host,
        "spark.hadoop.hive.server2.thrift.port": str(port),
    }
    spark = session.start_spark(replace(settings, spark_config={**address, **settings.spark_config}))
    register_new_tables(spark, settings.lake, settings.store)
    _start(spark, host, port)
    print_line(output, f"The tables of {settings.lake} (Ctrl-C ends the server):")
    print_command(output, f"jdbc:hive2://{host}:{port}/gold", indent=0)
    while not threading.Event().wait(_SECONDS_BETWEEN_LOOKS):
        try:
            register_new_tables(spark, settings.lake, settings.store)
        except (PySparkException, Py4JError) as error:
            # Clients go on with the tables that are known. A run may have been replacing a table just now.
            print_line(output, f"The tables could not be looked for again: {str(error)[:300]}")


def _start(spark: SparkSession, host: str, port: int) -> None:
    jvm = spark._jvm
    assert jvm is not None
    try:
        jvm.org.apache.spark.sql.hive.thriftserver.HiveThriftServer2.startWithContext(spark._jsparkSession.sqlContext())
    except Exception as error:
        raise UserError(
            f"the Thrift server can't listen on {host} port {port}", "Name a free one with --port"
        ) from error
