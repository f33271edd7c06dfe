"""The columns of a result: stars spelled out, and the names that Spark gives to columns without an alias."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sqlglot import exp

from spark_jobs.quick.column_types import OnlySparkError, quoted
from spark_jobs.quick.expressions import ExpressionWriter, require_only
from spark_jobs.quick.scope import Relation, Typed, same

_AGGREGATES = {exp.Sum: "sum", exp.Min: "min", exp.Max: "max", exp.Avg: "avg", exp.Count: "count"}


class Item(NamedTuple):
    """A column of a result. `name` is None where only Spark knows the name, `alias` if the query gives none."""

    value: Typed
    name: str | None
    alias: str | None = None

    def written(self) -> str:
        return f"{self.value.text} AS {quoted(self.name or '')}" if self.name else self.value.text


def items_of(node: exp.Select, writer: ExpressionWriter) -> list[Item]:
    items: list[Item] = []
    exploded = 0
    for each in node.expressions:
        if isinstance(each, exp.Star) or (isinstance(each, exp.Column) and isinstance(each.this, exp.Star)):
            items.extend(_star(each, writer))
            continue
        inner = each.this if isinstance(each, exp.Alias) else each
        is_list = isinstance(inner, exp.Explode)
        exploded += is_list
        value = _exploded(inner, writer) if is_list else writer.write(inner)
        name = "col" if is_list else _name(inner)
        alias = each.alias if isinstance(each, exp.Alias) else None
        if alias:
            name = alias
            # Later columns of the same select may use it, unless a table has a column of that name.
            writer.scope.aliases.setdefault(alias.casefold(), Typed(quoted(alias), value.type))
        if name is None:
            raise OnlySparkError(f"the name of `{each.sql('spark')[:60]}`: give it one with `as`")
        items.append(Item(value, name, alias))
    if exploded > 1:
        raise OnlySparkError("explode twice")
    return items


def _star(node: Any, writer: ExpressionWriter) -> Iterator[Item]:
    if writer.scope.merged:
        raise OnlySparkError("a star over columns of `using`")
    star = node.this if isinstance(node, exp.Column) else node
    require_only(star, frozenset(("except_",)))
    table = node.table if isinstance(node, exp.Column) else None
    left_out = [each.name for each in star.args.get("except_") or ()]
    relations: Sequence[Relation] = [each for each in writer.scope.relations if not table or same(each.alias, table)]
    if not relations:
        raise OnlySparkError("a star without a table")
    for relation in relations:
        for name, of in relation.columns:
            if not any(same(name, each) for each in left_out):
                yield Item(Typed(f"{quoted(relation.alias)}.{quoted(name)}", of), name)


def _exploded(node: exp.Explode, writer: ExpressionWriter) -> Typed:
    require_only(node, frozenset(("this",)))
    value = writer.write(node.this)
    match value.type:
        case ("array", of):
            return Typed(f"unnest({value.text})", of)
    raise OnlySparkError(f"explode of {value.type}")


def _name(node: Any) -> str | None:
    """As Spark names it."""
    match node:
        case exp.Column():
            return str(node.name)
        case exp.Literal():
            return str(node.this)
        case exp.Count() if isinstance(node.this, exp.Star):
            return "count(1)"
        case exp.Sum() | exp.Min() | exp.Max() | exp.Avg() | exp.Count() if isinstance(node.this, exp.Column):
            return f"{_AGGREGATES[type(node)]}({node.this.name})"
        case exp.Count() if isinstance(node.this, exp.Distinct) and isinstance(node.this.expressions[0], exp.Column):
            return f"count(DISTINCT {node.this.expressions[0].name})"
    return None
