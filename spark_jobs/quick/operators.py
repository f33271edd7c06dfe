"""Rules for literals, columns, operators, conditions and casts."""

import re
from typing import Any

from sqlglot import exp

from spark_jobs.quick.column_types import (
    DECIMAL_LITERAL,
    INTEGERS,
    OnlySparkError,
    common,
    is_numeric,
    text_in_duckdb,
)
from spark_jobs.quick.conversions import DAY, TIME
from spark_jobs.quick.expressions import ExpressionWriter, Rules, cast, text_literal_of, understands
from spark_jobs.quick.scope import Typed

_COMPARISONS: dict[type[exp.Expression], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_ARITHMETIC: dict[type[exp.Expression], str] = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*"}
_INTERVAL_UNITS = {"SECOND": 1, "MINUTE": 1, "HOUR": 1, "DAY": 0, "WEEK": 0, "MONTH": 0, "YEAR": 0}
_MOST_OF_INT, _MOST_OF_BIGINT = 2**31 - 1, 2**63 - 1


def _literal(_: ExpressionWriter, node: exp.Literal) -> Typed:
    if node.is_string:
        return Typed(text_in_duckdb(str(node.this)), "string")
    number = str(node.this)
    if number.isdigit():
        if int(number) > _MOST_OF_BIGINT:
            raise OnlySparkError("numbers of more than 64 bits")
        wanted = "int" if int(number) <= _MOST_OF_INT else "bigint"
        return Typed(f"CAST({number} AS {'INTEGER' if wanted == 'int' else 'BIGINT'})", wanted)
    if re.fullmatch(r"\d+\.\d+", number):
        return Typed(f"CAST({number} AS DOUBLE)", DECIMAL_LITERAL)
    if re.fullmatch(r"[\d.]+[eE][+-]?\d+", number):
        return Typed(f"CAST({number} AS DOUBLE)", "double")
    raise OnlySparkError(f"the number {number}")


def _column(writer: ExpressionWriter, node: exp.Column) -> Typed:
    if isinstance(node.this, exp.Star):
        raise OnlySparkError("a star in an expression")
    return writer.scope.find_column([part.name for part in node.parts])


def _parameter(writer: ExpressionWriter, node: exp.Placeholder) -> Typed:
    name = str(node.this)
    if name not in writer.scope.parameters:
        raise OnlySparkError("a parameter")
    wanted = writer.scope.parameters[name]
    return Typed(cast(Typed(f"${name}", "parameter"), wanted), wanted)


def _comparison(writer: ExpressionWriter, node: Any) -> Typed:
    left, right = comparable(writer.write(node.this), writer.write(node.expression), node.this, node.expression)
    return Typed(f"({left} {_COMPARISONS[type(node)]} {right})", "boolean")


def comparable(left: Typed, right: Typed, left_node: Any, right_node: Any) -> tuple[str, str]:
    """Two values as the type in which Spark compares them."""
    for value, other, node in ((left, right, right_node), (right, left, left_node)):
        if value.type in ("date", "timestamp") and other.type == "string":
            text = text_literal_of(node)
            if not (DAY if value.type == "date" else TIME).fullmatch(text):
                raise OnlySparkError(f"the time {text}")
            return cast(left, value.type), cast(right, value.type)
    if DECIMAL_LITERAL in (left.type, right.type) and is_numeric(left.type) and is_numeric(right.type):
        # Exact for each whole number below 2^53: greater ones are compared with no fraction.
        return cast(left, "double"), cast(right, "double")
    wanted = common(left.type, right.type)
    if isinstance(wanted, tuple):
        raise OnlySparkError("a comparison of lists")
    return cast(left, wanted), cast(right, wanted)


def _null_safe(writer: ExpressionWriter, node: exp.NullSafeEQ) -> Typed:
    left, right = comparable(writer.write(node.this), writer.write(node.expression), node.this, node.expression)
    return Typed(f"({left} IS NOT DISTINCT FROM {right})", "boolean")


def _between(writer: ExpressionWriter, node: exp.Between) -> Typed:
    value = writer.write(node.this)
    low = comparable(value, writer.write(node.args["low"]), node.this, node.args["low"])
    high = comparable(value, writer.write(node.args["high"]), node.this, node.args["high"])
    return Typed(f"({low[0]} >= {low[1]} AND {high[0]} <= {high[1]})", "boolean")


def _in(writer: ExpressionWriter, node: exp.In) -> Typed:
    value = writer.write(node.this)
    if query := node.args.get("query"):
        text, columns = writer.subquery(query, writer.scope)
        if len(columns) != 1 or columns[0][1] != value.type:
            raise OnlySparkError("`in` with a query of another type")
        return Typed(f"({value.text} IN ({text}))", "boolean")
    tests = [comparable(value, writer.write(each), node.this, each) for each in node.expressions]
    if not tests or len({left for left, _ in tests}) > 1:
        raise OnlySparkError("`in` with several types")
    return Typed(f"({tests[0][0]} IN ({', '.join(right for _, right in tests)}))", "boolean")


def _exists(writer: ExpressionWriter, node: exp.Exists) -> Typed:
    if not isinstance(node.this, exp.Select):
        raise OnlySparkError("exists of a list")
    return Typed(f"EXISTS ({writer.subquery(node.this, writer.scope)[0]})", "boolean")


def _scalar_subquery(writer: ExpressionWriter, node: exp.Subquery) -> Typed:
    text, columns = writer.subquery(node.this, writer.scope)
    if len(columns) != 1:
        raise OnlySparkError("a subquery of several columns")
    return Typed(f"({text})", columns[0][1])


def _arithmetic(writer: ExpressionWriter, node: Any) -> Typed:
    sign = _ARITHMETIC[type(node)]
    left = writer.write(node.this)
    if isinstance(node.expression, exp.Interval) and sign != "*":
        return _add_interval(left, sign, node.expression)
    right = writer.write(node.expression)
    if left.type == "date" and right.type in ("byte", "short", "int") and sign != "*":
        return Typed(f"({left.text} {sign} {cast(right, 'int')})", "date")
    wanted = common(left.type, right.type)
    if not is_numeric(wanted):
        raise OnlySparkError(f"{sign} of {left.type} and {right.type}")
    return Typed(f"({cast(left, wanted)} {sign} {cast(right, wanted)})", wanted)


def _add_interval(left: Typed, sign: str, interval: exp.Interval) -> Typed:
    number, unit = text_literal_of(interval.this), str(interval.args.get("unit") or "").upper().removesuffix("S")
    if not re.fullmatch(r"\d{1,6}", number) or unit not in _INTERVAL_UNITS:
        raise OnlySparkError(f"the interval {number} {unit}")
    if left.type == "date" and not _INTERVAL_UNITS[unit]:
        return Typed(f"CAST(({left.text} {sign} INTERVAL '{number}' {unit}) AS DATE)", "date")
    if left.type != "timestamp":
        raise OnlySparkError(f"{left.type} and an interval")
    return Typed(f"({left.text} {sign} INTERVAL '{number}' {unit})", "timestamp")


def _divide(writer: ExpressionWriter, node: exp.Div) -> Typed:
    left, right = writer.write(node.this), writer.write(node.expression)
    if not is_numeric(left.type) or not is_numeric(right.type):
        raise OnlySparkError(f"/ of {left.type} and {right.type}")
    if DECIMAL_LITERAL in (left.type, right.type) and "double" not in (left.type, right.type):
        raise OnlySparkError("division of decimals")
    return Typed(f"divided({cast(left, 'double')}, {cast(right, 'double')})", "double")


def _divide_integers(writer: ExpressionWriter, node: exp.IntDiv) -> Typed:
    left, right = _integers(writer, node)
    return Typed(f"({cast(left, 'bigint')} // {cast(right, 'bigint')})", "bigint")


def _modulo(writer: ExpressionWriter, node: exp.Mod) -> Typed:
    left, right = _integers(writer, node)
    wanted = common(left.type, right.type)
    return Typed(f"({cast(left, wanted)} % {cast(right, wanted)})", wanted)


def _integers(writer: ExpressionWriter, node: Any) -> tuple[Typed, Typed]:
    left, right = writer.write(node.this), writer.write(node.expression)
    if left.type not in INTEGERS or right.type not in INTEGERS:
        raise OnlySparkError(f"whole division of {left.type} and {right.type}")
    return left, right


def _negative(writer: ExpressionWriter, node: exp.Neg) -> Typed:
    value = writer.write(node.this)
    if not is_numeric(value.type):
        raise OnlySparkError(f"minus {value.type}")
    return Typed(f"(- {value.text})", value.type)


def _both(word: str) -> Any:
    def write(writer: ExpressionWriter, node: Any) -> Typed:
        left, right = writer.write_as(node.this, "boolean"), writer.write_as(node.expression, "boolean")
        return Typed(f"({left} {word} {right})", "boolean")

    return write


def _not(writer: ExpressionWriter, node: exp.Not) -> Typed:
    return Typed(f"(NOT {writer.write_as(node.this, 'boolean')})", "boolean")


def _is(writer: ExpressionWriter, node: exp.Is) -> Typed:
    if isinstance(node.expression, exp.Null):
        return Typed(f"({writer.write(node.this).text} IS NULL)", "boolean")
    if isinstance(node.expression, exp.Boolean):
        value = writer.write_as(node.this, "boolean")
        return Typed(f"({value} IS {'TRUE' if node.expression.this else 'FALSE'})", "boolean")
    raise OnlySparkError("`is`")


def _paren(writer: ExpressionWriter, node: exp.Paren) -> Typed:
    return writer.write(node.this)


def _if(writer: ExpressionWriter, node: exp.If) -> Typed:
    return _branches(writer, [(writer.write_as(node.this, "boolean"), node.args["true"])], node.args.get("false"))


def _case(writer: ExpressionWriter, node: exp.Case) -> Typed:
    branches = []
    for each in node.args["ifs"]:
        if node.this:
            left, right = comparable(writer.write(node.this), writer.write(each.this), node.this, each.this)
            branches.append((f"{left} = {right}", each.args["true"]))
        else:
            branches.append((writer.write_as(each.this, "boolean"), each.args["true"]))
    return _branches(writer, branches, node.args.get("default"))


def _branches(writer: ExpressionWriter, branches: list[tuple[str, Any]], default: Any) -> Typed:
    values, wanted = writer.write_all([value for _, value in branches] + [default or exp.Null()])
    whens = " ".join(f"WHEN {test} THEN {value}" for (test, _), value in zip(branches, values[:-1], strict=True))
    return Typed(f"(CASE {whens} ELSE {values[-1]} END)", wanted)


_PAIR = "this expression"
OPERATOR_RULES: Rules = {
    exp.Literal: understands(_literal, "this is_string"),
    exp.Null: understands(lambda _, __: Typed("NULL", "null"), ""),
    exp.Boolean: understands(lambda _, node: Typed("true" if node.this else "false", "boolean"), "this"),
    exp.Column: understands(_column, "this table db catalog"),
    exp.Placeholder: understands(_parameter, "this"),
    **{each: understands(_comparison, _PAIR) for each in _COMPARISONS},
    **{each: understands(_arithmetic, _PAIR) for each in _ARITHMETIC},
    exp.NullSafeEQ: understands(_null_safe, _PAIR),
    exp.Exists: understands(_exists, "this"),
    exp.Subquery: understands(_scalar_subquery, "this"),
    exp.Between: understands(_between, "this low high"),
    exp.In: understands(_in, "this expressions query"),
    exp.Div: understands(_divide, _PAIR + " typed safe"),
    exp.IntDiv: understands(_divide_integers, _PAIR),
    exp.Mod: understands(_modulo, _PAIR),
    exp.Neg: understands(_negative, "this"),
    exp.And: understands(_both("AND"), _PAIR),
    exp.Or: understands(_both("OR"), _PAIR),
    exp.Not: understands(_not, "this"),
    exp.Is: understands(_is, _PAIR),
    exp.Paren: understands(_paren, "this"),
    exp.If: understands(_if, "this true false"),
    exp.Case: understands(_case, "this ifs default"),
}
