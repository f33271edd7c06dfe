"""Rules for casts: between types that both engines convert alike."""

import re
from typing import Any

from sqlglot import exp

from spark_jobs.quick.column_types import INTEGERS, ColumnType, OnlySparkError
from spark_jobs.quick.expressions import ExpressionWriter, Rules, cast, understands
from spark_jobs.quick.scope import Typed

DAY = re.compile(r"\d{4}-\d\d-\d\d")
TIME = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?Z?)?")
_CAST_NAMES = {
    **{"TINYINT": "byte", "SMALLINT": "short", "INT": "int", "BIGINT": "bigint", "DOUBLE": "double"},
    **{"TEXT": "string", "DATE": "date", "TIMESTAMP": "timestamp", "TIMESTAMPTZ": "timestamp", "BOOLEAN": "boolean"},
}


def _cast(writer: ExpressionWriter, node: Any) -> Typed:
    to = node.args["to"]
    wanted = _CAST_NAMES.get(to.this.name)
    if wanted is None or to.expressions:
        raise OnlySparkError(f"a cast to {to.sql('spark')}")
    if isinstance(node.this, exp.Literal) and node.this.is_string and wanted in ("date", "timestamp"):
        if not (DAY if wanted == "date" else TIME).fullmatch(node.this.this):
            raise OnlySparkError(f"the time {node.this.this}")
        return Typed(cast(writer.write(node.this), wanted), wanted)
    return converted(writer.write(node.this), wanted)


def converted(value: Typed, wanted: ColumnType) -> Typed:
    """The value as another type, where both engines convert it alike."""
    match value.type, wanted:
        case (kind, _) if kind in (wanted, "null"):
            return Typed(cast(value, wanted), wanted)
        case (kind, _) if kind in INTEGERS and (wanted in INTEGERS or wanted in ("double", "string")):
            return Typed(cast(value, wanted), wanted)
        case ("decimal literal", "double"):
            return Typed(value.text, "double")
        case ("double", _) if wanted in ("int", "bigint"):
            return Typed(cast(Typed(f"trunc({value.text})", "double"), wanted), wanted)
        case ("date" | "boolean", "string") | ("date", "timestamp") | ("timestamp", "date"):
            return Typed(cast(value, wanted), wanted)
        case ("timestamp", "string"):
            return Typed(f"CAST(({value.text} AT TIME ZONE 'UTC') AS VARCHAR)", "string")
    raise OnlySparkError(f"a cast of {value.type} to {wanted}")


def _safe_cast(writer: ExpressionWriter, node: exp.TryCast) -> Typed:
    if node.args.get("safe"):
        raise OnlySparkError("try_cast")
    return _cast(writer, node)


def _to_date(writer: ExpressionWriter, node: exp.TsOrDsToDate) -> Typed:
    return converted(writer.write(node.this), "date")


CAST_RULES: Rules = {
    exp.Cast: understands(_cast, "this to _type"),
    exp.TryCast: understands(_safe_cast, "this to safe requires_string"),
    exp.TsOrDsToDate: understands(_to_date, "this safe"),
}
