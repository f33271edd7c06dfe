"""What each gold table is built from, by dbt's manifest and the compiled models."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import schemas
from spark_jobs.lineage.select_columns import Origin, column_origins

Nodes = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class GoldModel:
    table: str
    inputs: tuple[str, ...]
    columns: Sequence[schemas.Column]
    origins: Mapping[str, set[Origin]]


def gold_models(target: Path) -> list[GoldModel]:
    """The tables of the last run of dbt. `target` is the folder for dbt's own files."""
    manifest = json.loads((target / "manifest.json").read_text("utf-8"))
    nodes = {**manifest["nodes"], **manifest["sources"]}
    tables = {key: node for key, node in nodes.items() if node["resource_type"] == "model" and not _is_part(node)}
    catalog: dict[str, dict[str, dict[str, str]]] = {}
    for name, table in schemas.tables().items():
        layer, _, short = name.partition(".")
        catalog.setdefault(layer, {})[short] = {column.name: column.type for column in table.columns}
    for node in tables.values():
        catalog.setdefault("gold", {})[node["name"]] = {column.name: column.type for column in _columns(node)}
    models = []
    for key, node in sorted(tables.items()):
        compiled = target / "compiled" / node["package_name"] / node["original_file_path"]
        if not compiled.is_file():
            continue  # Written by something else than dbt, which only describes it.
        origins = column_origins(compiled.read_text("utf-8"), catalog)
        models.append(
            GoldModel(
                f"gold.{node['name']}",
                tuple(sorted({_table_name(nodes[each]) for each in _tables_behind(key, nodes)})),
                _columns(node),
                {name: of for name, of in origins.items() if of},
            )
        )
    return models


def _tables_behind(key: str, nodes: Nodes) -> Iterator[str]:
    """The tables that a model reads, through the parts that are no tables."""
    for each in nodes[key].get("depends_on", {}).get("nodes", []):
        if each in nodes and _is_part(nodes[each]):
            yield from _tables_behind(each, nodes)
        elif each in nodes:
            yield each


def _is_part(node: Mapping[str, Any]) -> bool:
    return bool(node.get("config", {}).get("materialized") == "ephemeral")


def _table_name(node: Mapping[str, Any]) -> str:
    return f"{node['source_name']}.{node['name']}" if node["resource_type"] == "source" else f"gold.{node['name']}"


def _columns(node: Mapping[str, Any]) -> list[schemas.Column]:
    return [
        schemas.Column(column["name"], column["data_type"] or "", nullable=True, description=column["description"])
        for column in node["columns"].values()
    ]
