"""Queries over any tables, generated from their columns: the same ones for the same tables."""

import random
from collections.abc import Iterator, Mapping, Sequence

from spark_jobs.quick.column_types import INTEGERS, ColumnType

Columns = Sequence[tuple[str, ColumnType]]
_AGGREGATES = {
    "number": ("sum({0})", "avg({0})", "min({0})", "max({0})", "percentile({0}, 0.5)", "stddev({0})"),
    "any": ("count({0})", "count(distinct {0})", "min({0})", "max({0})"),
}
_SCALARS: dict[str, Sequence[str]] = {
    "integer": (
        *("{0} + 1", "{0} - 7", "-{0}", "{0} div 7", "{0} % 7", "{0} / 7", "{0} / nullif({0}, 0)", "{0} * 0.5e0"),
        *("abs({0})", "cast({0} as string)", "cast({0} as double)", "coalesce({0}, -1)", "nullif({0}, 0)"),
        *("greatest({0}, 5)", "least({0}, 5L)", "if({0} > 3, 'a', 'b')", "case when {0} is null then 0 else {0} end"),
        *("{0} <=> null", "{0} between 1 and 100", "{0} in (0, 1, 2)", "{0} > 1.5", "round({0} / 7, 2)", "not {0} = 1"),
    ),
    "double": (
        *("round({0}, 2)", "round({0})", "ceil({0})", "floor({0})", "{0} / 3", "cast({0} as bigint)", "sqrt({0})"),
        *("{0} > 0.5", "abs({0})", "coalesce({0}, 0)", "-{0} * 2"),
    ),
    "string": (
        *("length({0})", "upper({0})", "lower({0})", "substring({0}, 2, 3)", "left({0}, 3)", "trim({0})"),
        *("{0} || '/x'", "concat({0}, '-', {0})", "replace({0}, '-', '_')", "{0} like '%a%'", "{0} ilike 'A%'"),
        *("{0} rlike '^a|b'", "startswith({0}, 'a')", "contains({0}, 'e')", "{0} = 'recorded'", "{0} > 'm'"),
        *("coalesce({0}, 'none')", "{0} in ('a', null)", "nvl({0}, '')", "if({0} is null, 1, null)"),
    ),
    "timestamp": (
        *("date_trunc('hour', {0})", "date_trunc('week', {0})", "hour({0})", "minute({0})", "cast({0} as date)"),
        *("cast({0} as string)", "{0} + interval 90 minutes", "{0} - interval 1 month", "unix_millis({0})"),
        *("date_format({0}, 'yyyy-MM-dd HH:mm')", "{0} > timestamp'2026-11-18 11:30:00'", "to_date({0})"),
        *("timestampdiff(second, timestamp'2026-11-18 11:30:00', {0})", "{0} >= '2026-11-18 11:29:30.5'"),
    ),
    "date": (
        *("{0} - 1", "date_sub({0}, 30)", "date_add({0}, 1)", "{0} + interval 1 month", "year({0})", "month({0})"),
        *("datediff({0}, date'2026-01-31')", "cast({0} as timestamp)", "cast({0} as string)", "{0} = '2026-11-18'"),
    ),
    "boolean": ("not {0}", "{0} is true", "if({0}, 1, 0)", "coalesce({0}, false)", "cast({0} as string)"),
    "array": ("size({0})", "{0}", "{0} is null", "cardinality({0})"),
    "map": ("size({0})", "{0}", "map_keys({0}) is null"),
    "texts": ("array_contains({0}, 'x')", "array_join({0}, ',')", "element_at({0}, 1)"),
}


def queries(tables: Mapping[str, Columns]) -> Iterator[str]:
    """For each table: every function that fits a column, aggregates, orders with nulls, windows, joins, unions, exploded
    lists."""
    choose = random.Random(29)
    for table, columns in sorted(tables.items()):
        scalars = [(name, kind) for name, kind in ((name, _kind(of)) for name, of in columns) if kind in _SCALARS]
        for kind in sorted({kind for _, kind in scalars}):
            of_kind = [name for name, each in scalars if each == kind]
            templates = [*_SCALARS[kind]]
            while templates:
                some, templates = templates[:6], templates[6:]
                selected = [f"{each.format(choose.choice(of_kind))} as c{n}" for n, each in enumerate(some)]
                yield f"select {', '.join(selected)} from {table}"
        comparable = [name for name, kind in scalars if kind not in ("array", "map")]
        yield from _about_rows(table, comparable, columns, choose)
        for name, of in columns:
            if isinstance(of, tuple) and of[0] in ("array", "map"):
                names = "item" if of[0] == "array" else "k, v"
                yield f"select {comparable[0]}, {names} from {table} lateral view explode({name}) exploded as {names}"
                yield f"select count(*) as rows from {table} lateral view outer explode({name}) exploded as {names}"
            if of == ("array", "string"):
                for each in _SCALARS["texts"]:
                    yield f"select {each.format(name)} as c from {table}"
            if isinstance(of, tuple) and of[:2] == ("map", "string"):
                yield f"select {name}['nothing'] as c from {table}"


def _about_rows(table: str, comparable: Sequence[str], columns: Columns, choose: random.Random) -> Iterator[str]:
    numbers = [name for name, of in columns if of in (*INTEGERS, "double")]
    a, b = choose.sample(comparable, 2)
    yield f"select * from {table}"
    yield f"select {a}, count(*) from {table} group by {a} order by 2 desc, {a}"
    yield f"select distinct {a}, {b} from {table} order by {a} desc, {b} nulls last"
    yield f"select {b}, {_aggregates(numbers, 'number', choose)} from {table} group by all"
    yield f"select {_aggregates(comparable, 'any', choose)} from {table}"
    yield f"select {a} as x, max({b}) as y from {table} group by x having count(*) > 1 order by y nulls first, x"
    yield f"select count(*) filter (where {a} is not null) as n, count_if({b} is null) as m from {table}"
    keys = ", ".join(comparable)
    yield f"select *, row_number() over (partition by {a} order by {keys}) as turn from {table}"
    yield f"select lag({b}) over (order by {keys}) as earlier, rank() over (order by {a} desc) as place from {table}"
    yield f"with counted as (select {a}, count(*) as n from {table} group by {a}) select t.{b}, n from {table} t join counted using ({a})"
    yield f"select {a} from {table} where {b} in (select {b} from {table} where {a} is not null)"
    yield f"select {a} from {table} union all select {a} from {table} where {b} is null"
    yield f"select {a} from {table} except select {a} from {table} where {b} is not null"
    if numbers:
        yield f"select sum({numbers[0]}) over (partition by {a} order by {keys} rows between 2 preceding and current row) as s from {table}"


def _aggregates(names: Sequence[str], kind: str, choose: random.Random) -> str:
    if not names:
        return "count(*) as n"
    return ", ".join(f"{each.format(choose.choice(names))} as a{n}" for n, each in enumerate(_AGGREGATES[kind]))


def _kind(of: ColumnType) -> str:
    if isinstance(of, tuple):
        return str(of[0])
    return "integer" if of in INTEGERS else of
