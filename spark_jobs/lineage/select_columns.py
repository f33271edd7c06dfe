"""From which columns of which tables each column of a query comes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import cast

import sqlglot
from sqlglot import exp
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import Scope, build_scope

# (table, column), such as ("silver.offset_commits", "committed_offset").
Origin = tuple[str, str]
# Schema -> table -> column -> type.
Catalog = Mapping[str, Mapping[str, Mapping[str, str]]]
# Stands for the fields of a struct that a query selects with a star: their names are not in the query.
_FIELDS = "*"


def column_origins(query: str, catalog: Catalog) -> dict[str, set[Origin]]:
    """The columns of a query in Spark SQL and what they are computed from; empty for what no column decides, such as
    `count(*)`."""
    tree = qualify(
        sqlglot.parse_one(query, read="spark"),
        dialect="spark",
        schema={schema: dict(tables) for schema, tables in catalog.items()},
        validate_qualify_columns=False,
        identify=False,
    )
    scope = build_scope(tree)
    return _Origins(catalog).of(scope) if scope else {}


class _Origins:
    """Each part of a query is looked at once, however many others read it."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._known: dict[int, dict[str, set[Origin]]] = {}

    def of(self, scope: Scope) -> dict[str, set[Origin]]:
        if id(scope) not in self._known:
            self._known[id(scope)] = self._united(scope) if scope.set_operation_scopes else self._selected(scope)
        return self._known[id(scope)]

    def _united(self, scope: Scope) -> dict[str, set[Origin]]:
        first, *others = (self.of(part) for part in scope.set_operation_scopes)
        by_place = [list(part.values()) for part in others]
        return {
            name: origins.union(*(part[place] for part in by_place))
            for place, (name, origins) in enumerate(first.items())
        }

    def _selected(self, scope: Scope) -> dict[str, set[Origin]]:
        selected: dict[str, set[Origin]] = {}
        for item in cast(exp.Query, scope.expression).selects:
            for name, origins in self._columns_of(item, scope):
                selected[name] = selected.get(name, set()) | origins
        return selected

    def _columns_of(self, item: exp.Expr, scope: Scope) -> Iterator[tuple[str, set[Origin]]]:
        if isinstance(item, exp.Star):
            for _, source in scope.selected_sources.values():
                yield from self._all_of(source)
        elif item.is_star and isinstance(known := scope.sources.get(item.args.get("table", exp.null()).name), Scope):
            yield from self._all_of(known)
        elif item.is_star:
            yield _FIELDS, self._read_by(item, scope)
        else:
            # `inline(...) as (a, b)` has several names.
            names = [name.name for name in item.aliases] if isinstance(item, exp.Aliases) else [item.alias_or_name]
            origins = self._read_by(item, scope)
            yield from ((name, origins) for name in names)

    def _all_of(self, source: object) -> Iterable[tuple[str, set[Origin]]]:
        return self.of(source).items() if isinstance(source, Scope) else ()

    def _read_by(self, expression: exp.Expr, scope: Scope) -> set[Origin]:
        found: set[Origin] = set()
        for column in expression.find_all(exp.Column, exp.Star):
            if isinstance(column, exp.Star) and isinstance(column.parent, exp.Count | exp.Column):
                continue
            if isinstance(column, exp.Column) and column.table:
                sources: Sequence[object] = [scope.sources.get(column.table)]
            else:  # `struct(*)`, or one of the sources has fields of a struct that it selects with a star.
                sources = [source for _, source in scope.selected_sources.values()]
            for source in sources:
                found |= self._from_source(source, column.name, scope)
        return found

    def _from_source(self, source: object, column: str, scope: Scope) -> set[Origin]:
        match source:
            case exp.Table() if source.db:
                table = f"{source.db}.{source.name}"
                all_columns = self._catalog.get(source.db, {}).get(source.name, {})
                return {(table, each) for each in (all_columns if column == "*" else [column])}
            case Scope() if isinstance(source.expression, exp.Query):
                columns = self.of(source)
                if column == "*":  # `struct(source.*)`
                    return set().union(*columns.values())
                return columns.get(column, columns.get(_FIELDS, set()))
            case Scope():  # `lateral view explode(...)`: what it explodes.
                return self._read_by(source.expression, scope)
            case _:
                return set()
