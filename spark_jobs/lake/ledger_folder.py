"""The ledger, read and written without Spark: for commands that hold the write lock."""

from collections.abc import Sequence

import pyarrow as pa

from spark_jobs.lake.ledger import TABLE, Entry, Ledger, Run, decoded, encoded
from spark_jobs.lake.table_folder import TableFolder


def newest_in(runs: TableFolder, layer: str) -> Ledger:
    """As ledger.newest."""
    rows = [row for file in runs.files for row in runs.read(file.path).to_pylist() if row["layer"] == layer]
    rows.sort(key=lambda row: (row["ended_at"], row["run_id"]))
    return {(row["cluster"], row["day"], row["table_name"]): decoded(row) for row in rows}


def append_entries(runs: TableFolder, run: Run, entries: Sequence[Entry]) -> TableFolder:
    assert runs.name == TABLE
    if not entries:
        return runs
    rows = pa.Table.from_pylist([encoded(run, entry) for entry in entries], runs.columns_in_files)
    return runs.commit([], [runs.write(rows, {})], "WRITE")
