"""Decides once more on the analysed query, when Spark has looked up what its names stand for."""

import functools
from typing import Any

from spark_jobs.errors import UsageError
from spark_jobs.lake.tables import Lake
from spark_jobs.sql.plan_classes import (
    ANALYSED_LEAVES,
    ANALYSED_PLANS,
    ANALYSED_RELATION,
    CATALYST,
    DELTA,
    DESCRIBE_QUERY,
    EXPLAIN,
    FILE_RELATION,
    PLAN_PACKAGES,
    REFUSED_EXPRESSIONS,
    TREE_NODE,
)
from spark_jobs.sql.plan_parts import class_name, in_words, walk
from spark_jobs.sql.refusals import READING


def analyse_and_check(lake: Lake, parsed: Any) -> Any:
    """Returns the analysed plan of a parsed one. Raises UsageError unless it only reads tables of the lake."""
    jvm = lake.spark._jvm
    assert jvm is not None
    without_running = jvm.org.apache.spark.sql.execution.CommandExecutionMode.SKIP()
    plan = lake.spark._jsparkSession.sessionState().executePlan(parsed, without_running).analyzed()
    tree_node = plan.getClass().getClassLoader().loadClass(TREE_NODE)
    walk(plan, functools.partial(_visit, lake, tree_node))
    return plan


def _visit(lake: Lake, tree_node: Any, part: Any, name: str) -> bool:
    if name == ANALYSED_RELATION:
        if not _is_table_of_the_lake(lake, part):
            raise UsageError(f"{READING}, and a name of the query stands for other files", "Name tables of the lake")
        return False
    if name in ANALYSED_LEAVES or not tree_node.isInstance(part):
        return False
    _check_class(name)
    if name == EXPLAIN:
        analyse_and_check(lake, part.logicalPlan())
    if name == DESCRIBE_QUERY:
        analyse_and_check(lake, part.plan())
    return name not in (EXPLAIN, DESCRIBE_QUERY)


def _check_class(name: str) -> None:
    if name.startswith(PLAN_PACKAGES):
        allowed = name in ANALYSED_PLANS
    else:
        allowed = name.startswith(CATALYST) and not any(each in name for each in REFUSED_EXPRESSIONS)
    if not allowed:
        raise UsageError(f"{READING}, and does not run {in_words(name)}", "Leave it out")


def _is_table_of_the_lake(lake: Lake, relation: Any) -> bool:
    """Whether the relation is a Delta table that is registered by name, and its files are in the folder of that name."""
    table = relation.catalogTable()
    of_files = relation.getClass().getClassLoader().loadClass(FILE_RELATION)
    if table.isEmpty() or not of_files.isInstance(relation.relation()):
        return False
    files = relation.relation().location()
    if not class_name(files).startswith(DELTA):
        return False
    identifier = table.get().identifier()
    assert lake.spark._jvm is not None
    folder = lake.spark._jvm.org.apache.hadoop.fs.Path(lake.path(f"{identifier.database().get()}.{identifier.table()}"))
    file_system = folder.getFileSystem(lake.spark._jsc.hadoopConfiguration())
    return bool(files.path().toString() == file_system.makeQualified(folder).toString())
