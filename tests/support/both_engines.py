"""Compares the rows of two engines."""

import datetime as dt
import math
from collections.abc import Sequence
from typing import Any

from pyspark.sql.types import DataType


def spark_name(kind: DataType) -> str:
    """The type of a column as `describe` prints it."""
    return kind.simpleString()


def as_sorted(rows: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
    """Rows in an order that both engines share, with values that can be compared."""
    return sorted((tuple(comparable(value) for value in row) for row in rows), key=repr)


def comparable(value: Any) -> Any:
    match value:
        case float():
            return "NaN" if math.isnan(value) else float(f"{value:.9g}")
        case dt.datetime():
            return value.replace(tzinfo=None)
        case dict():
            return tuple(sorted((str(key), comparable(item)) for key, item in value.items()))
        case tuple() if hasattr(value, "asDict"):
            return tuple(sorted((key, comparable(item)) for key, item in value.asDict().items()))
        case list() | tuple():
            return tuple(comparable(item) for item in value)
        case bytes() | bytearray():
            return bytes(value)
    return value
