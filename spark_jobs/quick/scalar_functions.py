"""Rules for functions of one row: times, texts, numbers, lists and maps."""

import re
from typing import Any

from sqlglot import exp

from spark_jobs.quick.column_types import INTEGERS, OnlySparkError, common, is_numeric, text_in_duckdb
from spark_jobs.quick.conversions import converted
from spark_jobs.quick.expressions import (
    ExpressionWriter,
    Rules,
    cast,
    integer_literal,
    text_literal_of,
    understands,
)
from spark_jobs.quick.scope import Typed

_UNITS = ("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND")
_EXACT_UNITS = ("DAY", "HOUR", "MINUTE", "SECOND")
_TIME_FORMATS = ("%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S", "%H:%M", "%H:%M:%S", "%Y-%m", "%H", "%Y")


def _unit(node: Any, units: tuple[str, ...] = _UNITS) -> str:
    name = str(getattr(node.args.get("unit"), "name", "")).upper()
    if name not in units:
        raise OnlySparkError(f"the unit {name}")
    return name


def _truncate(writer: ExpressionWriter, node: exp.TimestampTrunc) -> Typed:
    time = converted(writer.write(node.this), "timestamp")
    return Typed(f"date_trunc('{_unit(node)}', {time.text})", "timestamp")


def _part(name: str) -> Any:
    def write(writer: ExpressionWriter, node: Any) -> Typed:
        inner = node.this.this if isinstance(node.this, exp.TsOrDsToDate) else node.this
        time = converted(writer.write(inner), "timestamp")
        return Typed(f"CAST(date_part('{name}', {time.text}) AS INTEGER)", "int")

    return write


def _add_days(writer: ExpressionWriter, node: exp.TsOrDsAdd) -> Typed:
    if _unit(node) != "DAY":
        raise OnlySparkError("date_add of other units")
    day, number = converted(writer.write(node.this), "date"), writer.write(node.expression)
    if number.type not in ("byte", "short", "int"):
        raise OnlySparkError(f"date_add of {number.type}")
    return Typed(f"({day.text} + {cast(number, 'int')})", "date")


def _days_between(writer: ExpressionWriter, node: exp.DateDiff) -> Typed:
    if node.args.get("unit") is not None and _unit(node) != "DAY":
        raise OnlySparkError("datediff of other units")
    end, start = (converted(writer.write(each), "date") for each in (node.this, node.expression))
    return Typed(f"CAST(date_diff('day', {start.text}, {end.text}) AS INTEGER)", "int")


def _time_between(writer: ExpressionWriter, node: exp.TimestampDiff) -> Typed:
    unit = _unit(node, _EXACT_UNITS)
    end, start = (converted(writer.write(each), "timestamp") for each in (node.this, node.expression))
    return Typed(f"date_sub('{unit}', {start.text}, {end.text})", "bigint")


def _milliseconds(writer: ExpressionWriter, node: exp.UnixMillis) -> Typed:
    # epoch_ms rounds, Spark cuts off.
    time = writer.write_as(node.this, "timestamp")
    return Typed(f"(epoch_us(date_trunc('millisecond', {time})) // 1000)", "bigint")


def _format_time(writer: ExpressionWriter, node: exp.TimeToStr) -> Typed:
    # sqlglot marks two-digit parts of a format, which are the only ones here.
    time_format = text_literal_of(node.args["format"]).replace("strict", "")
    if time_format not in _TIME_FORMATS:
        raise OnlySparkError(f"date_format with {time_format}")
    inner = node.this.this if isinstance(node.this, exp.TimeStrToTime) else node.this
    time = converted(writer.write(inner), "timestamp")
    return Typed(f"strftime({time.text}, {text_in_duckdb(time_format)})", "string")


def _of_text(name: str, result: str = "string") -> Any:
    def write(writer: ExpressionWriter, node: Any) -> Typed:
        texts = [writer.write_as(each, "string") for each in (node.this, node.args.get("expression")) if each]
        call = f"{name}({', '.join(texts)})"
        return Typed(f"CAST({call} AS INTEGER)" if result == "int" else call, result)

    return write


def _trim(writer: ExpressionWriter, node: exp.Trim) -> Typed:
    return Typed(f"trim({writer.write_as(node.this, 'string')}, ' ')", "string")


def _replace(writer: ExpressionWriter, node: exp.Replace) -> Typed:
    if not text_literal_of(node.expression):
        raise OnlySparkError("replace of nothing")
    texts = [writer.write_as(each, "string") for each in (node.this, node.expression, node.args["replacement"])]
    return Typed(f"replace({', '.join(texts)})", "string")


def _substring(writer: ExpressionWriter, node: exp.Substring) -> Typed:
    text, start = writer.write_as(node.this, "string"), integer_literal(node.args["start"], 1)
    length = node.args.get("length")
    end = f", {integer_literal(length)}" if length is not None else ""
    return Typed(f"substring({text}, {start}{end})", "string")


def _left(writer: ExpressionWriter, node: exp.Left) -> Typed:
    text, length = writer.write_as(node.this, "string"), integer_literal(node.expression)
    return Typed(f"substring({text}, 1, {length})", "string")


def _concat(writer: ExpressionWriter, node: Any) -> Typed:
    parts = [node.this, node.expression] if isinstance(node, exp.DPipe) else node.expressions
    return Typed(f"({' || '.join(converted(writer.write(part), 'string').text for part in parts)})", "string")


def _like(writer: ExpressionWriter, node: Any) -> Typed:
    pattern = text_literal_of(node.expression)
    if "\\" in pattern:
        raise OnlySparkError("`like` with a backslash")
    text = writer.write_as(node.this, "string")
    if isinstance(node, exp.ILike):
        if not pattern.isascii():
            raise OnlySparkError("`ilike` of other letters than a to z")
        return Typed(f"(only_ascii({text}) ILIKE {text_in_duckdb(pattern)})", "boolean")
    return Typed(f"({text} LIKE {text_in_duckdb(pattern)})", "boolean")


def _matches(writer: ExpressionWriter, node: exp.RegexpLike) -> Typed:
    pattern = text_literal_of(node.expression)
    if not re.fullmatch(r"\^?[\w /,:=-]+(\|[\w /,:=-]+)*", pattern, re.ASCII):
        raise OnlySparkError("`rlike`, which Java reads otherwise")
    return Typed(
        f"regexp_matches({writer.write_as(node.this, 'string')}, {text_in_duckdb(pattern)})",
        "boolean",
    )


def _number(name: str) -> Any:
    def write(writer: ExpressionWriter, node: Any) -> Typed:
        value = writer.write(node.this)
        if value.type not in (*INTEGERS, "double"):
            raise OnlySparkError(f"{name} of {value.type}")
        return Typed(f"{name}({value.text})", value.type)

    return write


def _to_whole(name: str) -> Any:
    def write(writer: ExpressionWriter, node: Any) -> Typed:
        value = writer.write(node.this)
        if value.type not in (*INTEGERS, "double"):
            raise OnlySparkError(f"{name} of {value.type}")
        return Typed(f"CAST({name}({value.text}) AS BIGINT)", "bigint")

    return write


def _round(writer: ExpressionWriter, node: exp.Round) -> Typed:
    value = writer.write(node.this)
    digits = node.args.get("decimals")
    number = integer_literal(digits) if digits is not None else 0
    if value.type in INTEGERS:
        return value
    if value.type != "double" or number > 6:
        raise OnlySparkError(f"round of {value.type}")
    return Typed(f"rounded_{number}({value.text})", "double")


def _root(writer: ExpressionWriter, node: exp.Sqrt) -> Typed:
    value = writer.write(node.this)
    if not is_numeric(value.type):
        raise OnlySparkError(f"sqrt of {value.type}")
    return Typed(f"sqrt({cast(value, 'double')})", "double")


def _choice(name: str) -> Any:
    def write(writer: ExpressionWriter, node: Any) -> Typed:
        values, wanted = writer.write_all([node.this, *node.expressions])
        if isinstance(wanted, tuple) and name != "coalesce":
            raise OnlySparkError(f"{name} of lists")
        return Typed(f"{name}({', '.join(values)})", wanted)

    return write


def _null_if(writer: ExpressionWriter, node: exp.Nullif) -> Typed:
    value, other = writer.write(node.this), writer.write(node.expression)
    if common(value.type, other.type) != value.type or isinstance(value.type, tuple):
        raise OnlySparkError("nullif of two types")
    return Typed(f"nullif({value.text}, {cast(other, value.type)})", value.type)


def _element(writer: ExpressionWriter, node: exp.Bracket) -> Typed:
    value = writer.write(node.this)
    if len(node.expressions) != 1 or node.args.get("offset"):
        raise OnlySparkError("element_at")
    index = writer.write(node.expressions[0])
    match value.type:
        case ("map", key, of) if index.type == key:
            return Typed(f"{value.text}[{index.text}]", of)
        case ("array", of) if index.type in ("byte", "short", "int"):
            return Typed(f"element({value.text}, {index.text})", of)
    raise OnlySparkError(f"an element of {value.type}")


def _size(writer: ExpressionWriter, node: exp.ArraySize) -> Typed:
    value = writer.write(node.this)
    match value.type:
        case ("array", _):
            return Typed(f"CAST(len({value.text}) AS INTEGER)", "int")
        case ("map", _, _):
            return Typed(f"CAST(cardinality({value.text}) AS INTEGER)", "int")
    raise OnlySparkError(f"size of {value.type}")


def _contains(writer: ExpressionWriter, node: exp.ArrayContains) -> Typed:
    values, wanted = writer.write(node.this), writer.write(node.expression)
    if values.type != ("array", wanted.type):
        raise OnlySparkError(f"array_contains of {values.type}")
    # Null if the list does not hold it, but holds null.
    return Typed(f"contained({values.text}, {wanted.text})", "boolean")


def _join_texts(writer: ExpressionWriter, node: exp.ArrayToString) -> Typed:
    values = writer.write(node.this)
    if values.type != ("array", "string"):
        raise OnlySparkError(f"array_join of {values.type}")
    return Typed(f"joined({values.text}, {writer.write_as(node.expression, 'string')})", "string")


_PAIR = "this expression"
SCALAR_RULES: Rules = {
    exp.TimestampTrunc: understands(_truncate, "this unit"),
    exp.Year: understands(_part("year"), "this"),
    exp.Quarter: understands(_part("quarter"), "this"),
    exp.Month: understands(_part("month"), "this"),
    exp.Day: understands(_part("day"), "this"),
    exp.DayOfMonth: understands(_part("day"), "this"),
    exp.Hour: understands(_part("hour"), "this"),
    exp.Minute: understands(_part("minute"), "this"),
    exp.TsOrDsAdd: understands(_add_days, "this expression unit"),
    exp.DateDiff: understands(_days_between, "this expression unit"),
    exp.TimestampDiff: understands(_time_between, "this expression unit"),
    exp.UnixMillis: understands(_milliseconds, "this"),
    exp.TimeToStr: understands(_format_time, "this format"),
    exp.Length: understands(_of_text("length", "int"), "this"),
    exp.StartsWith: understands(_of_text("starts_with", "boolean"), _PAIR),
    exp.EndsWith: understands(_of_text("ends_with", "boolean"), _PAIR),
    exp.Contains: understands(_of_text("contains", "boolean"), _PAIR),
    exp.Upper: understands(
        lambda writer, node: Typed(f"upper(only_ascii({writer.write_as(node.this, 'string')}))", "string"), "this"
    ),
    exp.Lower: understands(
        lambda writer, node: Typed(f"lower(only_ascii({writer.write_as(node.this, 'string')}))", "string"), "this"
    ),
    exp.Trim: understands(_trim, "this"),
    exp.Replace: understands(_replace, "this expression replacement"),
    exp.Substring: understands(_substring, "this start length"),
    exp.Left: understands(_left, _PAIR),
    exp.Concat: understands(_concat, "expressions safe coalesce"),
    exp.DPipe: understands(_concat, "this expression safe"),
    exp.Like: understands(_like, _PAIR),
    exp.ILike: understands(_like, _PAIR),
    exp.RegexpLike: understands(_matches, _PAIR),
    exp.Abs: understands(_number("abs"), "this"),
    exp.Ceil: understands(_to_whole("ceil"), "this"),
    exp.Floor: understands(_to_whole("floor"), "this"),
    exp.Round: understands(_round, "this decimals"),
    exp.Sqrt: understands(_root, "this"),
    exp.Coalesce: understands(_choice("coalesce"), "this expressions"),
    exp.Greatest: understands(_choice("greatest"), "this expressions ignore_nulls"),
    exp.Least: understands(_choice("least"), "this expressions ignore_nulls"),
    exp.Nullif: understands(_null_if, _PAIR),
    exp.Bracket: understands(_element, "this expressions"),
    exp.ArraySize: understands(_size, "this"),
    exp.ArrayContains: understands(_contains, _PAIR),
    exp.ArrayToString: understands(_join_texts, _PAIR),
}
