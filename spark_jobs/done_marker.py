"""A file in the lake that remembers what landing, settings, models and code looked like when everything was done.

It is only a shortcut that lets `lagoon run` end without Spark: whatever it says, the ledger in the lake decides.
"""

import datetime as dt
import hashlib
import json
from collections.abc import Set

from spark_jobs.lake.lake_folder import lake_folder
from spark_jobs.landing import Landing
from spark_jobs.settings import Settings

_MARKER = ".done"
# Bytes that even a slow machine parses in seconds.
_SMALL = 64 << 20


def is_small(settings: Settings, landing: Landing, days: Set[dt.date] = frozenset()) -> bool:
    """Whether few bytes were delivered since everything was done, or, if `days` of delivery are named, on these days and
    late since the first of them."""
    since = dt.datetime.combine(min(days), dt.time(), dt.UTC) if days else _done_at(settings)
    new = (file for file in landing.files if file.delivered_on in days or file.modified_at >= since)
    return sum(file.size for file in new) < _SMALL


def _done_at(settings: Settings) -> dt.datetime:
    return lake_folder(settings).modified_at(_MARKER) or dt.datetime.fromtimestamp(0, dt.UTC)


def is_done(settings: Settings, landing: Landing) -> bool:
    return lake_folder(settings).read(_MARKER) == _state(settings, landing).encode()


def mark_done(settings: Settings, landing: Landing) -> None:
    lake_folder(settings).write(_MARKER, _state(settings, landing).encode())


def _state(settings: Settings, landing: Landing) -> str:
    from spark_jobs.gold.models_fingerprint import models_fingerprint
    from spark_jobs.lake.lake_version import LAKE_VERSION

    files = [(file.path, file.size, file.modified_at.isoformat()) for file in landing.files]
    return hashlib.sha256(json.dumps([repr(settings), models_fingerprint(), LAKE_VERSION, files]).encode()).hexdigest()
