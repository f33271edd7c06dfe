"""The manifests of deploy/kubernetes, and the schemas of Kubernetes that they are checked against."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import yaml

MANIFESTS = Path(__file__).parents[2] / "deploy" / "kubernetes"
# The oldest version whose stable API has all that the manifests use (podFailurePolicy), and the newest that the schemas know.
VERSIONS = ("1.31", "1.37")

Document = dict[str, Any]


def documents_of(file: Path) -> list[Document]:
    return [document for document in yaml.safe_load_all(file.read_text("utf-8")) if document]


def documents() -> dict[str, Document]:
    """Every object of the manifests by its file, kind and name."""
    files = [file for file in sorted(MANIFESTS.rglob("*.yaml")) if file.name != "kustomization.yaml"]
    return {
        f"{file.relative_to(MANIFESTS)} {document['kind']} {document['metadata'].get('name', '')}".strip(): document
        for file in files
        for document in documents_of(file)
    }


def problem(document: Document, version: str) -> str | None:
    """What the schema of that version of Kubernetes finds wrong: unknown, missing or mistyped fields."""
    try:
        kubernetes_validate.validate(document, version, strict=True)
    except kubernetes_validate.ValidationError as error:
        return str(error.message)
    return None


def misspelt(document: Document) -> Iterator[tuple[str, Document]]:
    """Copies of a document, each with another one of its fields misspelt."""
    for path in _paths(document, ()):
        changed = copy.deepcopy(document)
        parent: Any = changed
        for step in path[:-1]:
            parent = parent[step]
        parent[f"{path[-1]}x"] = parent.pop(path[-1])
        yield ".".join(map(str, path)), changed


# Their keys are chosen by users.
_FREE = frozenset(("labels", "matchLabels", "selector", "requests", "limits"))


def _paths(node: object, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    if isinstance(node, dict):
        is_free = bool(path) and path[-1] in _FREE and "matchLabels" not in node
        for key, value in node.items():
            if not is_free:
                yield (*path, key)
            yield from _paths(value, (*path, key))
    elif isinstance(node, list):
        for number, value in enumerate(node):
            yield from _paths(value, (*path, number))
