"""Writes what stands in `from`: tables, subqueries, values, joins and exploded lists."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlglot import exp

from spark_jobs.quick.column_types import ColumnType, OnlySparkError, common, quoted
from spark_jobs.quick.expressions import ExpressionWriter, cast, require_only
from spark_jobs.quick.scope import Relation, Scope

Columns = Sequence[tuple[str, ColumnType]]
_JOINS = {
    ("", ""): "INNER",
    ("", "INNER"): "INNER",
    ("", "CROSS"): "CROSS",
    ("LEFT", ""): "LEFT",
    ("LEFT", "OUTER"): "LEFT",
    ("RIGHT", ""): "RIGHT",
    ("RIGHT", "OUTER"): "RIGHT",
    ("FULL", ""): "FULL",
    ("FULL", "OUTER"): "FULL",
    ("LEFT", "SEMI"): "SEMI",
    ("LEFT", "ANTI"): "ANTI",
}


class WrittenCte(NamedTuple):
    """A CTE as DuckDB sees it."""

    name: str
    columns: Columns


@dataclass(frozen=True)
class RelationWriter:
    columns_of: Callable[[Sequence[str]], tuple[str, Columns]]
    ctes: Mapping[str, WrittenCte]
    write_query: Callable[[Any, Scope | None], tuple[str, Columns]]
    expressions: Callable[[], ExpressionWriter]

    def write_from(self, node: exp.Select, scope: Scope) -> str:
        """The clause, empty without a table. Adds the relations to the scope."""
        clause = node.args.get("from_")
        if clause is None:
            return ""
        require_only(clause, frozenset(("this",)))
        text = f" FROM {self._relation(clause.this, scope)}"
        for join in [*(clause.this.args.get("joins") or ()), *(node.args.get("joins") or ())]:
            text += self._join(join, scope)
        for lateral in node.args.get("laterals") or ():
            text += self._lateral_view(lateral, scope)
        return text

    def _relation(self, node: Any, scope: Scope) -> str:
        alias = node.alias or (node.name if isinstance(node, exp.Table) else "")
        match node:
            case exp.Table() if isinstance(node.this, exp.Identifier):
                require_only(node, frozenset(("this", "db", "catalog", "alias", "joins")))
                return self._table(node, scope, alias)
            case exp.Subquery():
                require_only(node, frozenset(("this", "alias")))
                text, columns = self.write_query(node.this, None)
            case exp.Values():
                require_only(node, frozenset(("expressions", "alias")))
                text, columns = self._values(node)
            case _:
                raise OnlySparkError(f"`{node.sql('spark')[:60]}` in from")
        if names := [each.name for each in (node.args.get("alias") and node.args["alias"].columns) or ()]:
            if len(names) != len(columns):
                raise OnlySparkError("a wrong number of column names")
            columns = [(name, of) for name, (_, of) in zip(names, columns, strict=True)]
        alias = alias or f"__{len(scope.relations)}"
        scope.relations.append(Relation(alias, columns))
        # Two columns of a subquery may have one name: those can't be referred to, but the engine has to accept them.
        return f"({text}) AS {quoted(alias)}({', '.join(quoted(name) for name in _distinct_names(columns))})"

    def _table(self, node: exp.Table, scope: Scope, alias: str) -> str:
        if node.args.get("alias") and node.args["alias"].columns:
            raise OnlySparkError("a table with other column names")
        parts = [part.name for part in node.parts]
        name = parts[0].casefold()
        if len(parts) == 1 and name in self.ctes:
            cte = self.ctes[name]
            scope.relations.append(Relation(alias, cte.columns))
            names = ", ".join(map(quoted, _distinct_names(cte.columns)))
            return f"{quoted(cte.name)} AS {quoted(alias)}({names})"
        table, columns = self.columns_of(parts)
        scope.relations.append(Relation(alias, columns, table))
        layer, _, short = table.partition(".")
        return f"{quoted(layer)}.{quoted(short)} AS {quoted(alias)}"

    def _values(self, node: exp.Values) -> tuple[str, Columns]:
        writer = self.expressions()
        rows = [each.expressions if isinstance(each, exp.Tuple) else [each] for each in node.expressions]
        typed = [[writer.write(value) for value in row] for row in rows]
        types = [common(*(value.type for value in column)) for column in zip(*typed, strict=True)]
        texts = [f"({', '.join(cast(value, of) for value, of in zip(row, types, strict=True))})" for row in typed]
        return f"VALUES {', '.join(texts)}", [(f"col{number}", of) for number, of in enumerate(types, 1)]

    def _join(self, node: exp.Join, scope: Scope) -> str:
        require_only(node, frozenset(("this", "side", "kind", "on", "using")))
        word = _JOINS.get((str(node.side or "").upper(), str(node.kind or "").upper()))
        condition, using = node.args.get("on"), node.args.get("using") or []
        if word is None or (using and word not in ("INNER", "LEFT")):
            raise OnlySparkError(f"`{node.sql('spark')[:60]}`")
        if condition is None and not using:
            word = "CROSS" if word == "INNER" else word
        if word != "CROSS" and condition is None and not using:
            raise OnlySparkError("a join without a condition")
        before = list(scope.relations)
        text = f" {word} JOIN {self._relation(node.this, scope)}"
        if using:
            text += f" ON {' AND '.join(self._equal(each.name, before, scope) for each in using)}"
        elif condition is not None:
            text += f" ON {self.expressions().write_as(condition, 'boolean')}"
        if word in ("SEMI", "ANTI"):
            scope.relations.pop()
        return text

    def _equal(self, name: str, before: Sequence[Relation], scope: Scope) -> str:
        left = Scope(list(before), merged=scope.merged).find_column([name])
        right = Scope([scope.relations[-1]]).find_column([name])
        if left.type != right.type:
            raise OnlySparkError("a join of different types")
        scope.merged.add(name.casefold())
        return f"{left.text} = {right.text}"

    def _lateral_view(self, node: exp.Lateral, scope: Scope) -> str:
        require_only(node, frozenset(("this", "view", "outer", "alias")))
        if not node.args.get("view") or not isinstance(node.this, exp.Explode):
            raise OnlySparkError(f"`{node.sql('spark')[:60]}`")
        require_only(node.this, frozenset(("this",)))
        value = self.expressions().write(node.this.this)
        names = [each.name for each in node.args["alias"].columns]
        match value.type:
            case ("array", of):
                types, lists, default = [of], [value.text], ["col"]
            case ("map", key, of):
                types, default = [key, of], ["key", "value"]
                lists = [f"map_keys({value.text})", f"map_values({value.text})"]
            case _:
                raise OnlySparkError(f"explode of {value.type}")
        names = names or default
        if len(names) != len(types):
            raise OnlySparkError("explode with other columns")
        alias = node.args["alias"].name or f"__{len(scope.relations)}"
        selected = ", ".join(f"unnest({each}) AS {quoted(name)}" for each, name in zip(lists, names, strict=True))
        scope.relations.append(Relation(alias, list(zip(names, types, strict=True))))
        join = "LEFT JOIN LATERAL" if node.args.get("outer") else "CROSS JOIN LATERAL"
        condition = " ON true" if node.args.get("outer") else ""
        return f" {join} (SELECT {selected}) AS {quoted(alias)}{condition}"


def _distinct_names(columns: Columns) -> list[str]:
    names: list[str] = []
    for name, _ in columns:
        taken = {each.casefold() for each in names}
        names.append(name if name.casefold() not in taken else f"__{len(names)}")
    return names
