"""How Spark reaches an S3 store."""

from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from spark_jobs.spark.delta_log import LOG_STORE_CONFIG
from spark_jobs.store.store_access import StoreAccess

_FILES = "org.apache.hadoop.fs.s3a.S3AFileSystem"
_PROVIDERS = "org.apache.hadoop.fs.s3a"


def s3a_config(access: StoreAccess, scratch: Path) -> dict[str, str]:
    """Spark properties, without the keys: those would be in the command line of the JVM, for all to see."""
    address = {"endpoint": access.endpoint} if access.endpoint else {}
    properties = {
        **address,
        "endpoint.region": access.region,
        "path.style.access": str(access.in_path).lower(),
        "connection.ssl.enabled": str(access.is_encrypted).lower(),
        "buffer.dir": str(scratch),
        # A store that restarts is away for a minute.
        "attempts.maximum": "5",
        "retry.limit": "7",
        "connection.establish.timeout": "10s",
        "connection.timeout": "60s",
    }
    return {
        "spark.hadoop.fs.s3.impl": _FILES,
        **LOG_STORE_CONFIG,
        **{f"spark.hadoop.fs.s3a.{key}": value for key, value in properties.items()},
    }


def give_keys(spark: SparkSession, access: StoreAccess) -> None:
    """Without keys, S3A looks for them in the environment, and then asks the machine."""
    if access.keys is None:
        return
    context: Any = spark.sparkContext
    hadoop = context._jsc.hadoopConfiguration()
    hadoop.set("fs.s3a.access.key", access.keys.access_key)
    hadoop.set("fs.s3a.secret.key", access.keys.secret_key)
    provider = "SimpleAWSCredentialsProvider"
    if access.keys.session_token:
        hadoop.set("fs.s3a.session.token", access.keys.session_token)
        provider = "TemporaryAWSCredentialsProvider"
    hadoop.set("fs.s3a.aws.credentials.provider", f"{_PROVIDERS}.{provider}")
