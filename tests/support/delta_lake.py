"""A small lake that is written without Spark."""

import datetime as dt
from pathlib import Path

import pyarrow as pa
from deltalake import write_deltalake

DAY = dt.date(2026, 11, 18)


def at(clock: str) -> dt.datetime:
    return dt.datetime.fromisoformat(f"2026-11-18T{clock}Z")


_TEXTS = pa.list_(pa.string())
TABLES: dict[str, pa.Table] = {
    "gold.lag": pa.table(
        {
            "group_id": ["orders", "orders", "billing", "Zoë", None],
            "partition_id": pa.array([0, 1, 0, 2, 7], pa.int32()),
            "true_lag": pa.array([10, None, 30, -7, 0], pa.int64()),
            "share": pa.array([0.285, 2.5, -2.5, None, 1e20], pa.float64()),
            "sampled_at": pa.array(
                [at("11:30:00"), at("11:30:00.213"), at("12:00:00"), None, at("23:59:59.999999")],
                pa.timestamp("us", "UTC"),
            ),
            "evidence": pa.array([["a", "b"], [], None, ["c", None], ["a"]], _TEXTS),
            "by_reason": pa.array(
                [[("left", 1)], [], None, [("left", 2), ("joined", 3)], []], pa.map_(pa.string(), pa.int64())
            ),
            "day": pa.array([DAY, DAY, DAY, dt.date(2026, 11, 19), None], pa.date32()),
        }
    ),
    "gold.findings": pa.table({"group_id": ["orders"], "title": ["<script>alert(1)</script>"]}),
    "silver.empty": pa.table({"group_id": pa.array([], pa.string()), "n": pa.array([], pa.int64())}),
}


def write_lake(folder: Path) -> Path:
    for name, rows in TABLES.items():
        partitions = ["day"] if "day" in rows.column_names else None
        write_deltalake(folder / name.replace(".", "/"), rows, partition_by=partitions)
    (folder.parent / "secret.csv").write_text("value\nsecret\n")
    return folder
