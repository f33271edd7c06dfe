"""One commit to a Delta table of files that are already written, by Delta's own transaction and with its conflict check."""

import json
from collections.abc import Sequence
from typing import Any

from pyspark.sql import SparkSession


def files_of(spark: SparkSession, path: str, where: str) -> list[str]:
    """The files of a slice as they stand now: Delta's `add` actions as JSON."""
    standing = Replacement(spark, path, where).standing
    return [standing.apply(number).json() for number in range(standing.size())]


class Replacement:
    """Files in the place of a slice, whose rows `where` names by the columns that the table is partitioned by.

    What others write to the slice between the beginning and the commit is a conflict: Delta refuses the later commit.
    """

    def __init__(self, spark: SparkSession, path: str, where: str) -> None:
        jvm = spark._jvm
        assert jvm is not None
        self._jvm = jvm
        self._delta = jvm.org.apache.spark.sql.delta
        self._spark, self._where = spark, where
        session = spark._jsparkSession
        self._transaction = self._delta.DeltaLog.forTable(session, path).startTransaction()
        predicate = session.sessionState().sqlParser().parseExpression(where)
        self.standing = self._transaction.filterFiles(self._seq([predicate]), False)

    def commit(self, files: Sequence[str]) -> None:
        """`files` are Delta's `add` actions as JSON."""
        outside = self._outside(files)
        if outside:
            raise ValueError(f"rows of {outside} are outside the slice where {self._where}")
        actions = [self._delta.actions.Action.fromJson(file) for file in files]
        now = self._jvm.java.lang.System.currentTimeMillis()
        for number in range(self.standing.size()):
            actions.append(self.standing.apply(number).removeWithTimestamp(now, True))
        self._transaction.commit(self._seq(actions), self._operation())

    def _outside(self, files: Sequence[str]) -> list[dict[str, str]]:
        slices = {tuple(sorted(json.loads(file)["add"]["partitionValues"].items())) for file in files}
        slices.discard(())
        if not slices:
            return []
        names = [name for name, _ in min(slices)]
        values = ", ".join(f"({', '.join(_quoted(value) for _, value in of)})" for of in sorted(slices))
        found = self._spark.sql(f"select * from values {values} as t({', '.join(names)}) where not ({self._where})")
        return [row.asDict() for row in found.collect()]

    def _operation(self) -> Any:
        none = self._jvm.scala.Option.empty()
        write = getattr(self._delta, "DeltaOperations$Write")
        mode = self._jvm.org.apache.spark.sql.SaveMode.Overwrite
        return write(mode, none, self._jvm.scala.Option.apply(self._where), none, none, none, none, none, none)

    def _seq(self, values: Sequence[Any]) -> Any:
        java = self._jvm.java.util.ArrayList()
        for value in values:
            java.add(value)
        return self._jvm.scala.jdk.javaapi.CollectionConverters.asScala(java).toSeq()


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
