"""Commits to a Delta table of files that are already written, by Delta's own transactions and with their conflict check.

Files are told as Delta's `add` actions in JSON.
"""

import json
from collections.abc import Sequence
from typing import Any

from pyspark.sql import SparkSession


def files_of(spark: SparkSession, path: str, where: str) -> list[str]:
    """The files of a slice as they stand now."""
    standing = Replacement(spark, path, where).standing
    return [standing.apply(number).json() for number in range(standing.size())]


def add(spark: SparkSession, path: str, files: Sequence[str]) -> None:
    """More files, beside those that stand. Where the table asks for it Delta then makes few of many small ones."""
    transaction = _Transaction(spark, path)
    transaction.compact()
    transaction.commit(files, [], "Append", None)


class _Transaction:
    def __init__(self, spark: SparkSession, path: str) -> None:
        jvm = spark._jvm
        assert jvm is not None
        self._jvm = jvm
        self._delta = jvm.org.apache.spark.sql.delta
        self._session = spark._jsparkSession
        self._transaction = self._delta.DeltaLog.forTable(self._session, path).startTransaction()

    def read(self, where: str) -> Any:
        predicate = self._session.sessionState().sqlParser().parseExpression(where)
        return self._transaction.filterFiles(self._seq([predicate]), False)

    def compact(self) -> None:
        """Once it is committed, as Spark's own writer has it done."""
        self._transaction.registerPostCommitHook(getattr(getattr(self._delta.hooks, "AutoCompact$"), "MODULE$"))

    def commit(self, added: Sequence[str], removed: Sequence[Any], mode: str, where: str | None) -> None:
        now = self._jvm.java.lang.System.currentTimeMillis()
        actions = [self._delta.actions.Action.fromJson(file) for file in added]
        actions += [file.removeWithTimestamp(now, True) for file in removed]
        self._transaction.commit(self._seq(actions), self._operation(mode, where))

    def _operation(self, mode: str, where: str | None) -> Any:
        of = self._jvm.scala.Option.apply
        write = getattr(self._delta, "DeltaOperations$Write")
        return write(self._jvm.org.apache.spark.sql.SaveMode.valueOf(mode), of(None), of(where), *[of(None)] * 6)

    def _seq(self, values: Sequence[Any]) -> Any:
        java = self._jvm.java.util.ArrayList()
        for value in values:
            java.add(value)
        return self._jvm.scala.jdk.javaapi.CollectionConverters.asScala(java).toSeq()


class Replacement:
    """Files in the place of a slice, whose rows `where` names by the columns that the table is partitioned by.

    What others write to the slice between the beginning and the commit is a conflict: Delta refuses the later commit.
    """

    def __init__(self, spark: SparkSession, path: str, where: str) -> None:
        self._spark, self._where = spark, where
        self._transaction = _Transaction(spark, path)
        self.standing = self._transaction.read(where)

    def commit(self, files: Sequence[str]) -> None:
        outside = self._outside(files)
        if outside:
            raise ValueError(f"rows of {outside} are outside the slice where {self._where}")
        standing = [self.standing.apply(number) for number in range(self.standing.size())]
        self._transaction.commit(files, standing, "Overwrite", self._where)

    def _outside(self, files: Sequence[str]) -> list[dict[str, str]]:
        slices = {tuple(sorted(json.loads(file)["add"]["partitionValues"].items())) for file in files}
        slices.discard(())
        if not slices:
            return []
        names = [name for name, _ in min(slices)]
        values = ", ".join(f"({', '.join(_quoted(value) for _, value in of)})" for of in sorted(slices))
        found = self._spark.sql(f"select * from values {values} as t({', '.join(names)}) where not ({self._where})")
        return [row.asDict() for row in found.collect()]


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
