"""Each commit gets the commit interval of the consumer that owned its partition."""

import datetime as dt

import pyarrow as pa

from kafka_telemetry.offsets.auto_commits import AutoCommits, LoggedInterval

DAY = dt.date(2026, 1, 2)
NOON = dt.datetime(2026, 1, 2, 12, tzinfo=dt.UTC)
TYPES = pa.schema(
    {
        "cluster": pa.string(), "day": pa.date32(), "group_id": pa.string(), "owner_client_id": pa.string(),
        "previous_committed_at": pa.timestamp("us", "UTC"),
    }
)  # fmt: skip


def test_the_interval_is_that_of_the_owner_once_it_has_logged_its_configuration() -> None:
    auto_commits = AutoCommits({("c", "2026-01-02", "g", "one"): LoggedInterval(round(NOON.timestamp() * 1e6), 5000)})
    second = dt.timedelta(seconds=1)
    rows = [
        ("c", DAY, "g", "one", NOON), ("c", DAY, "g", "one", NOON - second), ("c", DAY, "g", "two", NOON),
        ("c", DAY, "h", "one", NOON), ("d", DAY, "g", "one", NOON), ("c", DAY, "g", None, NOON), ("c", DAY, "g", "one", None),
        ("c", DAY + dt.timedelta(1), "g", "one", NOON),
    ]  # fmt: skip
    commits = pa.Table.from_pylist([dict(zip(TYPES.names, row, strict=True)) for row in rows], schema=TYPES)
    found = auto_commits.with_interval(commits)["auto_commit_interval_ms"].to_pylist()
    assert found == [5000, None, None, None, None, None, None, None]


def test_commits_whose_owners_are_unknown_stay_as_they_are() -> None:
    auto_commits = AutoCommits({("c", "2026-01-02", "g", "one"): LoggedInterval(0, 5000)})
    commits = pa.table({"cluster": ["c"]})
    assert auto_commits.with_interval(commits) == commits
