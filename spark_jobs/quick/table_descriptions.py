"""Answers `show tables in <layer>` and `describe <table>` from the Delta logs, as Spark answers them."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from spark_jobs.lake.layers import LAYERS
from spark_jobs.quick.column_types import in_spark
from spark_jobs.quick.delta_tables import DeltaTables

_SHOW = re.compile(r"show\s+tables\s+(?:in|from)\s+(\w+)", re.IGNORECASE)
_DESCRIBE = re.compile(r"desc(?:ribe)?\s+(?:table\s+)?(\w+\.\w+)", re.IGNORECASE)


class Description(NamedTuple):
    columns: Sequence[str]
    rows: Sequence[tuple[object, ...]]


def description(query: str, tables: DeltaTables) -> Description | None:
    """None for everything else, and for layers and tables that the lake does not have."""
    query = query.strip().removesuffix(";").strip()
    if (show := _SHOW.fullmatch(query)) and (layer := show[1].casefold()) in LAYERS:
        names = [name.partition(".")[2] for name in tables.names if name.startswith(f"{layer}.")]
        return Description(("namespace", "tableName", "isTemporary"), [(layer, name, False) for name in names])
    if (describe := _DESCRIBE.fullmatch(query)) and (table := tables.find(describe[1])):
        opened = tables.open(table)
        rows: list[tuple[object, ...]] = [
            (column.name, in_spark(column.type), column.comment or None) for column in opened.columns
        ]
        if opened.partitioned_by:
            by_name = {str(row[0]): row for row in rows}
            rows += [("# Partition Information", "", ""), ("# col_name", "data_type", "comment")]
            rows += [by_name[name] for name in opened.partitioned_by]
        return Description(("col_name", "data_type", "comment"), rows)
    return None
