"""Values of a result as JSON can hold them."""

import datetime as dt
import decimal
import math
from typing import Any


def as_json(value: Any) -> Any:
    """A value that JSON can hold: times in ISO 8601 UTC, bytes in hexadecimal, null for NaN and infinity."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else None
        case dt.datetime():
            return (value if value.tzinfo else value.replace(tzinfo=dt.UTC)).isoformat().replace("+00:00", "Z")
        case dt.date():
            return value.isoformat()
        case dict():
            return {str(key): as_json(item) for key, item in value.items()}
        case tuple() if hasattr(value, "asDict"):
            return {key: as_json(item) for key, item in value.asDict().items()}
        case list() | tuple():
            return [as_json(item) for item in value]
        case bytes() | bytearray():
            return value.hex()
        case decimal.Decimal():
            if value == value.to_integral_value():
                return int(value)
            # A number where it keeps all its digits, else text.
            return float(value) if decimal.Decimal(repr(float(value))) == value else str(value)
    return str(value)
