"""The files of deploy/superset/assets, as Superset imports them."""

import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parents[2] / "deploy" / "superset" / "assets"


@dataclass(frozen=True)
class Asset:
    """`name` is the path without its end, such as `charts/findings`."""

    name: str
    document: dict[str, Any]

    @property
    def uuid(self) -> str:
        return str(self.document["uuid"])


def read_assets(kind: str) -> list[Asset]:
    files = sorted((FOLDER / kind).glob("*.yaml"))
    return [Asset(f"{kind}/{file.stem}", yaml.safe_load(file.read_text("utf-8"))) for file in files]


def uuid_of(name: str) -> str:
    """The uuid that an asset of this name has to have: the same on every machine."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"lagoon/superset/{name}"))


def placed_charts(dashboard: Asset) -> list[dict[str, Any]]:
    """What the dashboard says of each chart on it: `uuid`, `chartId`, `width` and `height`."""
    parts = dashboard.document["position"].values()
    return [part["meta"] for part in parts if isinstance(part, dict) and part["type"] == "CHART"]
