"""Writes Spark's expressions for DuckDB, with the types that Spark gives them.

Each class of expression needs a rule; each rule accepts the types for which both engines agree and raises OnlySparkError for others.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from sqlglot import exp

from spark_jobs.quick.column_types import ColumnType, OnlySparkError, common, in_duckdb
from spark_jobs.quick.scope import Scope, Typed

Subqueries: TypeAlias = Callable[[exp.Expression, Scope], tuple[str, Sequence[tuple[str, ColumnType]]]]
# A rule and the arguments of the expression that it understands. An expression with others differs.
Rule: TypeAlias = tuple[Callable[["ExpressionWriter", Any], Typed], frozenset[str]]
Rules: TypeAlias = Mapping[type[exp.Expression], Rule]


def understands(write: Callable[["ExpressionWriter", Any], Typed], arguments: str) -> Rule:
    return write, frozenset(arguments.split())


# Some operands are written twice, so that each level of nesting may double an expression.
_LONGEST = 100_000


class ExpressionWriter:
    def __init__(self, rules: Rules, scope: Scope, subquery: Subqueries) -> None:
        self._rules = rules
        self.scope = scope
        self.subquery = subquery

    def write(self, node: Any) -> Typed:
        rule = self._rules.get(type(node))
        if rule is None:
            raise OnlySparkError(
                f"`{node.sql('spark')[:60]}`" if isinstance(node, exp.Expression) else "an empty expression"
            )
        write, arguments = rule
        require_only(node, arguments)
        written = write(self, node)
        if len(written.text) > _LONGEST:
            raise OnlySparkError("an expression this long")
        return written

    def write_as(self, node: Any, wanted: ColumnType) -> str:
        """The expression, which must have the type, or be null."""
        value = self.write(node)
        if value.type != wanted and value.type != "null":
            raise OnlySparkError(f"{value.type} where {wanted} is expected")
        return cast(value, wanted)

    def write_all(self, nodes: Sequence[Any]) -> tuple[list[str], ColumnType]:
        """Expressions as their common type."""
        values = [self.write(node) for node in nodes]
        wanted = common(*(value.type for value in values))
        return [cast(value, wanted) for value in values], wanted


def require_only(node: exp.Expression, arguments: frozenset[str]) -> None:
    """Raises OnlySparkError if the parsed expression has other arguments than the named ones."""
    for name, value in node.args.items():
        if value not in (None, False, []) and name not in arguments:
            raise OnlySparkError(f"`{name.strip('_')}` in `{node.sql('spark')[:60]}`")


def cast(value: Typed, wanted: ColumnType) -> str:
    if value.type == wanted:
        return value.text
    return f"CAST({value.text} AS {in_duckdb(wanted)})"


def integer_literal(node: Any, at_least: int = 0) -> int:
    """The number of a literal, for arguments that are no expressions."""
    if isinstance(node, exp.Literal) and not node.is_string and str(node.this).isdigit() and int(node.this) >= at_least:
        return int(node.this)
    raise OnlySparkError("an argument that is not a plain number")


def text_literal_of(node: Any) -> str:
    if isinstance(node, exp.Literal) and node.is_string:
        return str(node.this)
    raise OnlySparkError("an argument that is not a plain text")
