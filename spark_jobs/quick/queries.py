"""Writes Spark's queries for DuckDB: select, with, joins, set operations. What has no rule here raises OnlySparkError."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from sqlglot import exp

from spark_jobs.quick.aggregate_functions import AGGREGATE_RULES, direction, ordered
from spark_jobs.quick.column_types import ColumnType, OnlySparkError, common, in_duckdb, quoted
from spark_jobs.quick.conversions import CAST_RULES
from spark_jobs.quick.expressions import ExpressionWriter, integer_literal, require_only
from spark_jobs.quick.operators import OPERATOR_RULES
from spark_jobs.quick.relations import RelationWriter, WrittenCte
from spark_jobs.quick.scalar_functions import SCALAR_RULES
from spark_jobs.quick.scope import Scope, Typed, same
from spark_jobs.quick.select_items import Item, items_of

_RULES = {**OPERATOR_RULES, **CAST_RULES, **SCALAR_RULES, **AGGREGATE_RULES}
_SELECT = frozenset(
    [
        "expressions",
        "from_",
        "joins",
        "laterals",
        "where",
        "group",
        "having",
        "order",
        "limit",
        "offset",
        "distinct",
        "with_",
    ]
)
_SET_OPERATION = frozenset(["this", "expression", "distinct", "order", "limit", "offset", "with_"])
_SET_WORDS = {exp.Union: "UNION", exp.Intersect: "INTERSECT", exp.Except: "EXCEPT"}

Columns = Sequence[tuple[str, ColumnType]]


@dataclass(frozen=True)
class QueryWriter:
    """`columns_of` returns the columns of a table of the lake, and raises UsageError if there is none of that name."""

    columns_of: Callable[[Sequence[str]], tuple[str, Columns]]
    parameters: Mapping[str, ColumnType]
    ctes: Mapping[str, WrittenCte]
    # One for all parts of a query.
    cte_numbers: Iterator[int] = field(default_factory=count)

    def write(self, node: Any, outer: Scope | None = None) -> tuple[str, Columns]:
        """A query in DuckDB's SQL, with the names and types that its columns have in Spark."""
        writer, with_clause = self._with_ctes(node)
        match node:
            case exp.Select():
                require_only(node, _SELECT)
                text, columns = writer._select(node, outer)
            case exp.Union() | exp.Intersect() | exp.Except():
                require_only(node, _SET_OPERATION)
                text, columns = writer._set_operation(node, outer)
            case exp.Subquery():
                require_only(node, frozenset(("this",)))
                return self.write(node.this, outer)
            case _:
                raise OnlySparkError(f"`{node.sql('spark')[:60]}`")
        return with_clause + text, columns

    def _with_ctes(self, node: Any) -> tuple["QueryWriter", str]:
        clause = node.args.get("with_")
        if clause is None:
            return self, ""
        require_only(clause, frozenset(("expressions",)))
        writer, texts = self, []
        for cte in clause.expressions:
            require_only(cte, frozenset(("this", "alias")))
            if cte.args["alias"].args.get("columns"):
                raise OnlySparkError("a CTE with column names")
            text, columns = writer.write(cte.this)
            # Never under the name that the user chose: DuckDB might take that for another one, or for a file.
            written = WrittenCte(f"cte{next(self.cte_numbers)}", columns)
            texts.append(f"{quoted(written.name)} AS ({text})")
            writer = replace(writer, ctes={**writer.ctes, cte.alias.casefold(): written})
        return writer, f"WITH {', '.join(texts)} "

    def _expressions(self, scope: Scope) -> ExpressionWriter:
        return ExpressionWriter(_RULES, scope, self._subquery)

    def _subquery(self, node: Any, scope: Scope) -> tuple[str, Columns]:
        return self.write(node, scope)

    def _select(self, node: exp.Select, outer: Scope | None) -> tuple[str, Columns]:
        scope = Scope(outer=outer, parameters=self.parameters)
        relations = RelationWriter(self.columns_of, self.ctes, self.write, lambda: self._expressions(scope))
        source = relations.write_from(node, scope)
        writer = self._expressions(scope)
        where = node.args.get("where")
        condition = f" WHERE {writer.write_as(where.this, 'boolean')}" if where else ""
        items = items_of(node, writer)
        distinct = node.args.get("distinct")
        if distinct and distinct.args.get("on"):
            raise OnlySparkError("distinct on")
        text = (
            f"SELECT {'DISTINCT ' if distinct else ''}{', '.join(item.written() for item in items)}{source}{condition}"
        )
        text += self._grouping(node, items, writer)
        text += self._order(node, items, None if distinct else writer) + _limit(node)
        return text, [(item.name or "", item.value.type) for item in items]

    def _grouping(self, node: exp.Select, items: Sequence[Item], writer: ExpressionWriter) -> str:
        scope, text = writer.scope, ""
        if group := node.args.get("group"):
            require_only(group, frozenset(("expressions", "all")))
            if group.args.get("all"):
                text = " GROUP BY ALL"
            else:
                text = f" GROUP BY {', '.join(_group_key(each, items, writer) for each in group.expressions)}"
        scope.aliases = {}
        if having := node.args.get("having"):
            inlined = self._expressions(_with_result(scope, items))
            text += f" HAVING {inlined.write_as(having.this, 'boolean')}"
        return text

    def _order(self, node: Any, items: Sequence[Item], writer: ExpressionWriter | None) -> str:
        """Positions for columns of the result. `writer` is None where nothing else can be ordered by."""
        order = node.args.get("order")
        if order is None:
            return ""
        keys = []
        for each in order.expressions:
            position = _position(each.this, items)
            if position is None and writer is not None:
                inlined = self._expressions(_with_result(writer.scope, items))
                keys.append(ordered(inlined, each))
            elif position is None or isinstance(items[position - 1].value.type, tuple):
                raise OnlySparkError("order by what is not in the result")
            else:
                keys.append(f"{position}{direction(each)}")
        return f" ORDER BY {', '.join(keys)}"

    def _set_operation(self, node: Any, outer: Scope | None) -> tuple[str, Columns]:
        left, left_columns = self.write(node.this, outer)
        right, right_columns = self.write(node.expression, outer)
        if len(left_columns) != len(right_columns):
            raise OnlySparkError("a union of different numbers of columns")
        types = [common(a, b) for (_, a), (_, b) in zip(left_columns, right_columns, strict=True)]
        columns = [(name, of) for (name, _), of in zip(left_columns, types, strict=True)]
        word = f"{_SET_WORDS[type(node)]}{'' if node.args.get('distinct') else ' ALL'}"
        sides = (_as_types(left, left_columns, types), _as_types(right, right_columns, types))
        items = [Item(Typed("", of), name) for name, of in columns]
        return f"{f' {word} '.join(sides)}{self._order(node, items, None)}{_limit(node)}", columns


def _as_types(text: str, columns: Columns, types: Sequence[ColumnType]) -> str:
    names = [quoted(f"c{number}") for number in range(len(columns))]
    casts = [f"CAST({name} AS {in_duckdb(of)}) AS {name}" for name, of in zip(names, types, strict=True)]
    return f"(SELECT {', '.join(casts)} FROM ({text}) AS u({', '.join(names)}))"


def _group_key(node: Any, items: Sequence[Item], writer: ExpressionWriter) -> str:
    if isinstance(node, exp.Literal):
        return str(integer_literal(node, 1))
    is_name = isinstance(node, exp.Column) and not node.table
    if is_name and not writer.scope.has_column(node.name):
        position = _position(node, items)
        if position is not None:
            return str(position)
    return writer.write(node).text


def _position(node: Any, items: Sequence[Item]) -> int | None:
    """Which column of the result is meant."""
    if isinstance(node, exp.Literal) and not node.is_string:
        return integer_literal(node, 1) if integer_literal(node, 1) <= len(items) else None
    if not isinstance(node, exp.Column) or node.table:
        return None
    found = [number for number, item in enumerate(items, 1) if item.name is not None and same(item.name, node.name)]
    return found[0] if len(found) == 1 else None


def _with_result(scope: Scope, items: Sequence[Item]) -> Scope:
    """The scope of `having` and `order by`, where columns of the result have names too."""
    named, ambiguous = {}, set()
    for item in items:
        if item.alias is None:
            continue
        if scope.has_column(item.alias) and scope.find_column([item.alias]).text != item.value.text:
            ambiguous.add(item.alias.casefold())
        named[item.alias.casefold()] = item.value
    return replace(scope, aliases=named, ambiguous=frozenset(ambiguous))


def _limit(node: Any) -> str:
    text = ""
    for name in ("limit", "offset"):
        if clause := node.args.get(name):
            require_only(clause, frozenset(("expression",)))
            text += f" {name.upper()} {integer_literal(clause.expression)}"
    return text
