"""Rules for aggregates and windows. The call is kept apart from the cast of its result: `filter` and `over` follow the call."""

from collections.abc import Callable
from typing import Any, NamedTuple

from sqlglot import exp

from spark_jobs.quick.column_types import INTEGERS, ColumnType, OnlySparkError
from spark_jobs.quick.expressions import ExpressionWriter, Rules, cast, integer_literal, require_only, understands
from spark_jobs.quick.scope import Typed

_BOUNDS = ("UNBOUNDED", "CURRENT ROW")


class _Call(NamedTuple):
    text: str
    type: ColumnType
    # Whether DuckDB gives the result another type.
    is_cast: bool = False
    # `filter (where …)` and `over (…)` are written once each.
    suffix: str = ""

    def written(self) -> Typed:
        text = f"{self.text}{self.suffix}"
        return Typed(cast(Typed(text, "wider"), self.type) if self.is_cast else text, self.type)


def _count(writer: ExpressionWriter, node: exp.Count) -> _Call:
    require_only(node, frozenset(("this", "big_int")))
    if isinstance(node.this, exp.Star):
        return _Call("count(*)", "bigint")
    if isinstance(node.this, exp.Distinct):
        if len(node.this.expressions) != 1 or node.this.args.get("on"):
            raise OnlySparkError("count(distinct) of several columns")
        return _Call(f"count(DISTINCT {writer.write(node.this.expressions[0]).text})", "bigint")
    return _Call(f"count({writer.write(node.this).text})", "bigint")


def _sum(writer: ExpressionWriter, node: exp.Sum) -> _Call:
    value = _argument(writer, node)
    if value.type in INTEGERS:
        return _Call(f"sum({value.text})", "bigint", is_cast=True)
    if value.type != "double":
        raise OnlySparkError(f"sum of {value.type}")
    return _Call(f"sum({value.text})", "double")


def _average(writer: ExpressionWriter, node: Any) -> _Call:
    value = _argument(writer, node)
    if value.type not in (*INTEGERS, "double"):
        raise OnlySparkError(f"{type(node).__name__} of {value.type}")
    return _Call(f"{_AVERAGES[type(node)]}({cast(value, 'double')})", "double")


def _extreme(writer: ExpressionWriter, node: Any) -> _Call:
    value = _argument(writer, node)
    if isinstance(value.type, tuple) or value.type == "binary":
        raise OnlySparkError(f"min or max of {value.type}")
    return _Call(f"{'max' if isinstance(node, exp.Max) else 'min'}({value.text})", value.type)


def _of_boolean(name: str) -> Callable[[ExpressionWriter, Any], _Call]:
    def write(writer: ExpressionWriter, node: Any) -> _Call:
        require_only(node, frozenset(("this",)))
        return _Call(f"{name}({writer.write_as(node.this, 'boolean')})", "boolean")

    return write


def _count_if(writer: ExpressionWriter, node: exp.CountIf) -> _Call:
    require_only(node, frozenset(("this",)))
    return _Call(f"count(CASE WHEN {writer.write_as(node.this, 'boolean')} THEN 1 END)", "bigint")


def _at_extreme(writer: ExpressionWriter, node: Any) -> _Call:
    require_only(node, frozenset(("this", "expression")))
    value, order = writer.write(node.this), writer.write(node.expression)
    if isinstance(order.type, tuple):
        raise OnlySparkError("max_by of a list")
    name = "arg_max_null" if isinstance(node, exp.ArgMax) else "arg_min_null"
    return _Call(f"{name}({value.text}, {order.text})", value.type)


def _percentile(writer: ExpressionWriter, node: exp.Quantile) -> _Call:
    require_only(node, frozenset(("this", "quantile")))
    share = node.args["quantile"]
    if not isinstance(share, exp.Literal) or share.is_string or not 0 <= float(share.this) <= 1:
        raise OnlySparkError("a percentile that is not a plain number")
    value = writer.write(node.this)
    if value.type not in (*INTEGERS, "double"):
        raise OnlySparkError(f"percentile of {value.type}")
    return _Call(f"quantile_cont({cast(value, 'double')}, {share.this})", "double")


def _row_number(name: str) -> Callable[[ExpressionWriter, Any], _Call]:
    def write(_: ExpressionWriter, node: Any) -> _Call:
        require_only(node, frozenset())
        return _Call(f"{name}()", "int", is_cast=True)

    return write


def _neighbour(writer: ExpressionWriter, node: Any) -> _Call:
    require_only(node, frozenset(("this", "offset", "default")))
    name, value = "lag" if isinstance(node, exp.Lag) else "lead", writer.write(node.this)
    if node.args.get("default") is not None:
        raise OnlySparkError(f"{name} with a default")
    offset = node.args.get("offset")
    return _Call(f"{name}({value.text}, {integer_literal(offset) if offset is not None else 1})", value.type)


def _argument(writer: ExpressionWriter, node: Any) -> Typed:
    require_only(node, frozenset(("this",)))
    if isinstance(node.this, exp.Distinct):
        raise OnlySparkError("distinct in an aggregate")
    return writer.write(node.this)


_AVERAGES: dict[type[exp.Expression], str] = {
    exp.Avg: "avg",
    exp.Median: "median",
    exp.Stddev: "stddev_samp",
    exp.StddevSamp: "stddev_samp",
    exp.StddevPop: "stddev_pop",
}
_AGGREGATES: dict[type[exp.Expression], Callable[[ExpressionWriter, Any], _Call]] = {
    exp.Count: _count,
    exp.Sum: _sum,
    **dict.fromkeys(_AVERAGES, _average),
    exp.Max: _extreme,
    exp.Min: _extreme,
    exp.CountIf: _count_if,
    exp.LogicalOr: _of_boolean("bool_or"),
    exp.LogicalAnd: _of_boolean("bool_and"),
    exp.ArgMax: _at_extreme,
    exp.ArgMin: _at_extreme,
    exp.Quantile: _percentile,
}
_WINDOW_FUNCTIONS: dict[type[exp.Expression], Callable[[ExpressionWriter, Any], _Call]] = {
    **{each: _AGGREGATES[each] for each in (exp.Count, exp.Sum, exp.Avg, exp.Max, exp.Min, exp.CountIf)},
    exp.RowNumber: _row_number("row_number"),
    exp.Rank: _row_number("rank"),
    exp.DenseRank: _row_number("dense_rank"),
    exp.Lag: _neighbour,
    exp.Lead: _neighbour,
}


def _aggregate(writer: ExpressionWriter, node: Any) -> Typed:
    return _call(writer, node).written()


def _call(writer: ExpressionWriter, node: Any) -> _Call:
    if isinstance(node, exp.Filter) and type(node.this) in _AGGREGATES:
        condition = writer.write_as(node.expression.this, "boolean")
        return _AGGREGATES[type(node.this)](writer, node.this)._replace(suffix=f" FILTER (WHERE {condition})")
    if type(node) not in _AGGREGATES:
        raise OnlySparkError(f"`{node.sql('spark')[:60]}`")
    return _AGGREGATES[type(node)](writer, node)


def _window(writer: ExpressionWriter, node: exp.Window) -> Typed:
    inner = node.this
    call = _WINDOW_FUNCTIONS[type(inner)](writer, inner) if type(inner) in _WINDOW_FUNCTIONS else None
    if call is None or "DISTINCT" in call.text or node.args.get("over") not in (None, "OVER"):
        raise OnlySparkError(f"`{node.sql('spark')[:60]}`")
    parts = []
    if node.args.get("partition_by"):
        parts.append(f"PARTITION BY {', '.join(writer.write(each).text for each in node.args['partition_by'])}")
    if order := node.args.get("order"):
        parts.append(f"ORDER BY {', '.join(ordered(writer, each) for each in order.expressions)}")
    if spec := node.args.get("spec"):
        parts.append(_frame(spec))
    return call._replace(suffix=f" OVER ({' '.join(parts)})").written()


def ordered(writer: ExpressionWriter, node: exp.Ordered) -> str:
    value = writer.write(node.this)
    if isinstance(value.type, tuple):
        raise OnlySparkError("an order of lists")
    return f"{value.text}{direction(node)}"


def direction(node: exp.Ordered) -> str:
    require_only(node, frozenset(("this", "desc", "nulls_first")))
    return f" {'DESC' if node.args.get('desc') else 'ASC'} NULLS {'FIRST' if node.args.get('nulls_first') else 'LAST'}"


def _frame(spec: exp.WindowSpec) -> str:
    require_only(spec, frozenset(("kind", "start", "start_side", "end", "end_side")))
    if str(spec.args["kind"]).upper() != "ROWS":
        raise OnlySparkError("a window by range")
    start = _bound(spec.args.get("start"), spec.args.get("start_side"))
    end = _bound(spec.args.get("end") or "CURRENT ROW", spec.args.get("end_side"))
    return f"ROWS BETWEEN {start} AND {end}"


def _bound(value: Any, side: Any) -> str:
    text = value.upper() if isinstance(value, str) else str(integer_literal(value))
    if text not in _BOUNDS and not text.isdigit():
        raise OnlySparkError("a window with other bounds")
    if text == "CURRENT ROW":
        return text
    if str(side).upper() not in ("PRECEDING", "FOLLOWING"):
        raise OnlySparkError("a window with other bounds")
    return f"{text} {str(side).upper()}"


AGGREGATE_RULES: Rules = {
    **{each: understands(_aggregate, " ".join(each.arg_types)) for each in _AGGREGATES},
    exp.Filter: understands(_aggregate, "this expression"),
    exp.Window: understands(_window, "this partition_by order spec over"),
}
