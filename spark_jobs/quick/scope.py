"""The columns that an expression may name, as Spark looks them up: those of the tables in `from`, then earlier aliases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from spark_jobs.quick.column_types import ColumnType, OnlySparkError, quoted, text_in_duckdb


class Typed(NamedTuple):
    """An expression as DuckDB runs it, and the type that it has in Spark."""

    text: str
    type: ColumnType


class UnknownColumnError(Exception):
    """The query names a column that its tables do not have."""

    def __init__(self, name: str, tables: Sequence[str], known: Sequence[str]) -> None:
        super().__init__(name)
        self.name = name
        self.tables = tables
        self.known = known


class Relation(NamedTuple):
    """A table, a subquery or a CTE in `from`. A column without a name can't be referred to."""

    alias: str
    columns: Sequence[tuple[str, ColumnType]]
    table: str | None = None


@dataclass
class Scope:
    """`merged` are columns of `using`: they name the column of the first relation. `ambiguous` are names of a column of a
    table and of another column of the result: the engines may take different ones."""

    relations: list[Relation] = field(default_factory=list)
    outer: "Scope | None" = None
    aliases: dict[str, Typed] = field(default_factory=dict)
    merged: set[str] = field(default_factory=set)
    ambiguous: frozenset[str] = frozenset()
    parameters: Mapping[str, ColumnType] = field(default_factory=dict)

    def find_column(self, parts: Sequence[str]) -> Typed:
        """A column by its name, with the alias of its relation before it or fields of a struct after it."""
        found = self._find(parts)
        if found is None:
            tables = [relation.table for relation in self.relations if relation.table]
            raise UnknownColumnError(parts[-1], tables, [name for each in self.relations for name, _ in each.columns])
        return found

    def has_column(self, name: str) -> bool:
        return bool(self._named(self.relations, name))

    def _find(self, parts: Sequence[str]) -> Typed | None:
        if len(parts) == 1 and parts[0].casefold() in self.ambiguous:
            raise OnlySparkError(f"{parts[0]}, the name of two columns")
        relations = [each for each in self.relations if same(each.alias, parts[0])]
        if len(parts) > 1 and (found := self._named(relations, parts[1])):
            return _with_fields(found[0], parts[2:])
        if found := self._named(self.relations, parts[0]):
            if len(found) > 1 and parts[0].casefold() not in self.merged:
                raise OnlySparkError(f"the ambiguous column {parts[0]}")
            return _with_fields(found[0], parts[1:])
        if alias := self.aliases.get(parts[0].casefold()):
            return _with_fields(alias, parts[1:])
        return self.outer._find(parts) if self.outer else None

    def _named(self, relations: Sequence[Relation], name: str) -> list[Typed]:
        return [
            Typed(f"{quoted(relation.alias)}.{quoted(column)}", column_type)
            for relation in relations
            for column, column_type in relation.columns
            if same(column, name)
        ]


def same(name: str, other: str) -> bool:
    return name.casefold() == other.casefold()


def _with_fields(value: Typed, names: Sequence[str]) -> Typed:
    for name in names:
        if not isinstance(value.type, tuple) or value.type[0] != "struct":
            raise OnlySparkError(f"the field {name} of what is no struct")
        fields: Sequence[tuple[str, ColumnType]] = value.type[1]
        found = next(((field, of) for field, of in fields if same(field, name)), None)
        if found is None:
            raise UnknownColumnError(name, [], [field for field, _ in fields])
        value = Typed(f"{value.text}[{text_in_duckdb(found[0])}]", found[1])
    return value
