"""bronze.files: one row per landed file, from the receipt of its parsing."""

from collections.abc import Sequence

from pyspark.sql import DataFrame, SparkSession

import schemas
from spark_jobs.bronze.parse import FileReceipt

TABLE = "bronze.files"


def file_rows(
    spark: SparkSession, receipts: Sequence[FileReceipt], read_with: tuple[int | None, int | None]
) -> DataFrame:
    """`read_with` are the last two columns: what the files were read with."""
    return spark.createDataFrame([(*_values(receipt), *read_with) for receipt in receipts], schemas.table(TABLE).ddl)


def _values(parsed: FileReceipt) -> tuple[object, ...]:
    """The values in the order of the table's columns, except the last two."""
    file, receipt = parsed.file, parsed.receipt
    return (
        file.cluster,
        file.delivered_on,
        file.source,
        file.path,
        file.origin,
        file.size,
        file.modified_at,
        parsed.content_hash,
        receipt.format,
        receipt.records,
        receipt.understood,
        receipt.not_understood,
        receipt.ignored,
        receipt.details,
        [(day, kind, rows) for (day, kind), rows in sorted(parsed.rows.items())],
        parsed.first_at,
        parsed.last_at,
        parsed.problem,
    )
