"""How often the owner of a partition commits automatically, for each commit."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from kafka_telemetry.columns import NULL, combined_codes, integers, value_codes

_CLIENT = ["cluster", "day", "group_id", "owner_client_id"]


class LoggedInterval(NamedTuple):
    # Microseconds since 1970: when the client logged its configuration first that day.
    since: int
    interval_ms: int


@dataclass(frozen=True)
class AutoCommits:
    # By cluster, day (as ISO text), group and client id.
    intervals: Mapping[tuple[str, str, str, str], LoggedInterval]

    def with_interval(self, commits: pa.Table) -> pa.Table:
        """Adds `auto_commit_interval_ms` to commits that know the owner of their partition."""
        if not self.intervals or "owner_client_id" not in commits.column_names:
            return commits
        client = combined_codes(*(value_codes(commits[name]) for name in _CLIENT))
        _, first = np.unique(client, return_index=True)
        clients = commits.select(_CLIENT).take(pa.array(first)).to_pylist()
        unknown = LoggedInterval(0, NULL)
        found = [
            self.intervals.get((c["cluster"], str(c["day"]), c["group_id"], c["owner_client_id"]), unknown)
            for c in clients
        ]
        since, interval = np.array(found, np.int64).reshape(-1, 2)[client].T
        interval = np.where(integers(commits["previous_committed_at"]) >= since, interval, NULL)
        return commits.append_column("auto_commit_interval_ms", pa.array(interval, pa.int64(), mask=interval == NULL))
