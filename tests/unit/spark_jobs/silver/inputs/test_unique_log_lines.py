"""Log lines are equal by cluster, origin, time and text."""

import datetime as dt

import pyarrow as pa

from spark_jobs.silver.inputs.unique_log_lines import unique_lines

DAY = dt.date(2026, 1, 2)


def line(cluster: str, origin: str | None, at: str | None, text: str, file: str, position: int) -> dict[str, object]:
    happened_at = at and dt.datetime.combine(DAY, dt.time.fromisoformat(at), dt.UTC)
    return {
        **{"cluster": cluster, "origin": origin, "happened_at": happened_at, "text": text},
        **{"delivered_on": DAY, "source_file": file, "source_position": position},
    }


def test_equal_lines_become_one_and_lines_without_a_time_are_never_equal() -> None:
    lines = [
        line("c", "b1", "10:00:00", "x", "server.log.1", 3),
        line("c", "b1", "10:00:00", "x", "server.log", 7),
        line("c", "b1", "10:00:00", "y", "server.log", 8),
        line("c", "b2", "10:00:00", "x", "server.log", 7),
        line("c", None, "10:00:00", "x", "server.log", 7),
        line("d", "b1", "10:00:00", "x", "server.log", 7),
        line("c", "b1", "10:00:01", "x", "server.log", 9),
        line("c", "b1", None, "x", "server.log", 10),
        line("c", "b1", None, "x", "server.log", 11),
    ]
    rows = unique_lines(pa.Table.from_pylist(lines)).to_pylist()
    found = sorted((row["cluster"], row["source_file"], row["source_position"], row["copies"]) for row in rows)
    assert found == [
        ("c", "server.log", 7, 1),
        ("c", "server.log", 7, 1),
        ("c", "server.log", 7, 2),
        ("c", "server.log", 8, 1),
        ("c", "server.log", 9, 1),
        ("c", "server.log", 10, 1),
        ("c", "server.log", 11, 1),
        ("d", "server.log", 7, 1),
    ]
