"""Decides on a parsed query, before Spark looks anything up: analysing a query can already read files and run code.

Every part of the parsed plan must have a listed class, and every function a listed name. What a later version of Spark adds
is refused until somebody lists it.
"""

import difflib
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from spark_jobs.errors import UsageError
from spark_jobs.lake.layers import LAYERS
from spark_jobs.sql.functions import (
    ALLOWED_FUNCTIONS,
    ALLOWED_TABLE_FUNCTIONS,
    REFUSED_FUNCTIONS,
    REFUSED_TABLE_FUNCTIONS,
)
from spark_jobs.sql.plan_classes import PARSED_NODES, PARSED_VALUES, VALUE_PACKAGES
from spark_jobs.sql.plan_parts import elements, in_words, texts, walk
from spark_jobs.sql.refusals import READING, not_reading, unknown_table

_CATALOG = "spark_catalog"


@dataclass
class ParsedQuery:
    """What a parsed query refers to. `tables` are those of the lake."""

    tables: Collection[str]
    relations: list[list[str]] = field(default_factory=list)
    ctes: set[str] = field(default_factory=set)

    def check(self, plan: Any) -> None:
        """Raises UsageError unless the plan only reads tables of the lake."""
        walk(plan, self._visit)
        for relation in self.relations:
            self._check_relation(relation)

    @property
    def table_names(self) -> list[str]:
        """The tables of the lake that the query names."""
        known = {table.casefold(): table for table in self.tables}
        named = (known.get(_without_catalog(relation)) for relation in self.relations)
        return sorted({table for table in named if table})

    def _visit(self, part: Any, name: str) -> bool:
        if name in PARSED_VALUES or name.startswith(VALUE_PACKAGES):
            return False
        if name not in PARSED_NODES:
            raise not_reading(in_words(name))
        if check := _CHECKS.get(name.rpartition(".")[2]):
            check(self, part)
        return True

    def _add_relation(self, part: Any) -> None:
        if part.isStreaming() or not part.options().isEmpty():
            raise UsageError(f"{READING}, without options and not as a stream", "Name the table alone")
        self._add_table(part)

    def _add_table(self, part: Any) -> None:
        self.relations.append(texts(part.multipartIdentifier()))

    def _add_ctes(self, part: Any) -> None:
        # A definition is a tuple of its name, its query and what else Spark keeps of it.
        self.ctes.update(str(definition.productElement(0)).casefold() for definition in elements(part.cteRelations()))

    def _check_relation(self, relation: list[str]) -> None:
        name = _without_catalog(relation)
        if len(relation) == 1 and name in self.ctes:
            return
        if len(relation) > 1 and name in {table.casefold() for table in self.tables}:
            return
        raise unknown_table(".".join(relation), self.tables)

    def _check_namespace(self, part: Any) -> None:
        namespace = _without_catalog(texts(part.multipartIdentifier()))
        if namespace not in ("", _CATALOG, *LAYERS):
            raise UsageError(f"{READING}, and it has no layer `{namespace}`", f"Use one of {', '.join(LAYERS)}")

    def _check_function(self, part: Any) -> None:
        _check_name(texts(part.nameParts()), ALLOWED_FUNCTIONS, REFUSED_FUNCTIONS)

    def _check_generator(self, part: Any) -> None:
        _check_name(texts(part.name().nameParts()), ALLOWED_FUNCTIONS, REFUSED_FUNCTIONS)

    def _check_table_function(self, part: Any) -> None:
        allowed, refused = ALLOWED_TABLE_FUNCTIONS, {**REFUSED_FUNCTIONS, **REFUSED_TABLE_FUNCTIONS}
        _check_name(texts(part.name()), allowed, refused)


_CHECKS: dict[str, Callable[[ParsedQuery, Any], None]] = {
    "UnresolvedFunction": ParsedQuery._check_function,
    "UnresolvedGenerator": ParsedQuery._check_generator,
    "UnresolvedNamespace": ParsedQuery._check_namespace,
    "UnresolvedRelation": ParsedQuery._add_relation,
    "UnresolvedTable": ParsedQuery._add_table,
    "UnresolvedTableOrView": ParsedQuery._add_table,
    "UnresolvedTableValuedFunction": ParsedQuery._check_table_function,
    "UnresolvedWith": ParsedQuery._add_ctes,
}


def _check_name(name_parts: list[str], allowed: Collection[str], refused: dict[str, str]) -> None:
    name = ".".join(name_parts).lower()
    if name in allowed:
        return
    if name in refused:
        raise UsageError(f"{READING}, and does not call `{name}`: {refused[name]}", "Leave the function out")
    similar = difflib.get_close_matches(name, allowed, n=2)
    raise UsageError(
        f"the query failed: there is no function `{name}`"
        + (f"; did you mean {' or '.join(similar)}" if similar else ""),
        "Use a function of Spark SQL",
    )


def _without_catalog(name_parts: list[str]) -> str:
    in_catalog = len(name_parts) > 1 and name_parts[0].casefold() == _CATALOG
    return ".".join(name_parts[1:] if in_catalog else name_parts).casefold()
