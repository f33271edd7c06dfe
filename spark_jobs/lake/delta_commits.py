"""Commits files that are already written to a Delta table, by Delta's own transactions and conflict check.

Files are Delta's `add` actions in JSON.
"""

import functools
import json
from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import SparkSession

from spark_jobs.errors import UserError
from spark_jobs.lake.sql_literals import text_literal
from spark_jobs.spark import jars


def current_files(spark: SparkSession, path: str, where: str) -> list[str]:
    """The files that a slice has now."""
    current = SliceReplacement(spark, path, where).current
    return [current.apply(number).json() for number in range(current.size())]


def append_files(spark: SparkSession, path: str, files: Sequence[str]) -> None:
    """Adds files to the table. Delta then merges small files if the table's properties ask for it."""
    transaction = _Transaction(spark, path)
    transaction.compact_after_commit()
    transaction.commit(files, [], "Append", None)


def optional_parameters(parameter_types: Sequence[str]) -> int:
    """How many optional parameters follow the save mode in the constructor of Delta's DeltaOperations.Write.

    The class is internal to Delta and may change with each version. Raises UserError if it is not as expected.
    """
    save_mode, optional = parameter_types[:1], parameter_types[1:]
    if list(save_mode) != ["org.apache.spark.sql.SaveMode"] or len(optional) < 2 or set(optional) != {"scala.Option"}:
        [delta] = [
            coordinates for coordinates in jars.pinned_versions() if coordinates.startswith("io.delta:delta-spark")
        ]
        raise UserError(
            "Lagoon can't commit with this version of Delta Lake", f"Use {delta}, as in spark_jobs/spark/jars.txt"
        )
    return len(optional)


@functools.lru_cache(1)
def _parameters_of_write(jvm: Any) -> list[str]:
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    constructors = loader.loadClass("org.apache.spark.sql.delta.DeltaOperations$Write").getConstructors()
    return [kind.getName() for kind in constructors[0].getParameterTypes()] if len(constructors) else []


class _Transaction:
    def __init__(self, spark: SparkSession, path: str) -> None:
        jvm = spark._jvm
        assert jvm is not None
        self._jvm = jvm
        self._delta = jvm.org.apache.spark.sql.delta
        self._session = spark._jsparkSession
        # Delta reads a checkpoint by the session of the thread, and threads that write tables side by side have none.
        SparkSession._get_j_spark_session_class(jvm).setActiveSession(self._session)
        self._transaction = self._delta.DeltaLog.forTable(self._session, path).startTransaction()

    def read(self, where: str) -> Any:
        predicate = self._session.sessionState().sqlParser().parseExpression(where)
        return self._transaction.filterFiles(self._seq([predicate]), False)

    def metadata(self) -> dict[str, Any]:
        return dict(json.loads(self._transaction.metadata().json())["metaData"])

    def commit_metadata(self, metadata: Mapping[str, Any]) -> None:
        changed = self._delta.actions.Action.fromJson(json.dumps({"metaData": metadata}))
        self._transaction.updateMetadata(changed, False)
        operation = getattr(getattr(self._delta, "DeltaOperations$ManualUpdate$"), "MODULE$")
        self._transaction.commit(self._seq([]), operation)

    def compact_after_commit(self) -> None:
        """Registers the hook that Spark's own writer registers."""
        self._transaction.registerPostCommitHook(getattr(getattr(self._delta.hooks, "AutoCompact$"), "MODULE$"))

    def commit(self, added: Sequence[str], removed: Sequence[Any], mode: str, where: str | None) -> None:
        now = self._jvm.java.lang.System.currentTimeMillis()
        actions = [self._delta.actions.Action.fromJson(file) for file in added]
        actions += [file.removeWithTimestamp(now, True) for file in removed]
        self._transaction.commit(self._seq(actions), self._operation(mode, where))

    def _operation(self, mode: str, where: str | None) -> Any:
        option = self._jvm.scala.Option.apply
        write = getattr(self._delta, "DeltaOperations$Write")
        save_mode = self._jvm.org.apache.spark.sql.SaveMode.valueOf(mode)
        # The second optional parameter is the predicate.
        optional = [option(None)] * optional_parameters(_parameters_of_write(self._jvm))
        optional[1] = option(where)
        return write(save_mode, *optional)

    def _seq(self, values: Sequence[Any]) -> Any:
        java = self._jvm.java.util.ArrayList()
        for value in values:
            java.add(value)
        return self._jvm.scala.jdk.javaapi.CollectionConverters.asScala(java).toSeq()


class MetadataChange:
    """Changes what Delta's log says about a table, such as its columns. No file is written but the log's."""

    def __init__(self, spark: SparkSession, path: str) -> None:
        self._transaction = _Transaction(spark, path)
        self.metadata: dict[str, Any] = self._transaction.metadata()

    def commit(self, values: Mapping[str, Any]) -> None:
        """Commits the values of `metadata` that differ from now, if any do."""
        changed = {**self.metadata, **values}
        if _parsed(changed) != _parsed(self.metadata):
            self._transaction.commit_metadata(changed)


def _parsed(metadata: Mapping[str, Any]) -> dict[str, Any]:
    return {**metadata, "schemaString": json.loads(metadata["schemaString"])}


class SliceReplacement:
    """Replaces the files of a slice. `where` selects the slice by partition columns.

    If somebody else writes to the slice between the construction and the commit, Delta refuses the commit.
    """

    def __init__(self, spark: SparkSession, path: str, where: str) -> None:
        self._spark, self._where = spark, where
        self._transaction = _Transaction(spark, path)
        self.current = self._transaction.read(where)

    def commit(self, files: Sequence[str]) -> None:
        outside = self._outside(files)
        if outside:
            raise ValueError(f"rows of {outside} are outside the slice where {self._where}")
        current = [self.current.apply(number) for number in range(self.current.size())]
        self._transaction.commit(files, current, "Overwrite", self._where)

    def _outside(self, files: Sequence[str]) -> list[dict[str, str]]:
        """Partition values of files that do not belong to the slice."""
        partitions = {tuple(sorted(json.loads(file)["add"]["partitionValues"].items())) for file in files}
        partitions.discard(())
        if not partitions:
            return []
        names = [name for name, _ in min(partitions)]
        rows = ", ".join(
            f"({', '.join(text_literal(value) for _, value in partition)})" for partition in sorted(partitions)
        )
        outside = self._spark.sql(f"select * from values {rows} as t({', '.join(names)}) where not ({self._where})")
        return [row.asDict() for row in outside.collect()]
