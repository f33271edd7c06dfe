"""Reads the files of a table as Arrow batches from inside tasks."""

import functools
import json
import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from spark_jobs.errors import UserError
from spark_jobs.lake.table_files import TableFiles

ROWS_PER_PART = 500_000
_ROWS_PER_BATCH = 100_000


@dataclass(frozen=True)
class FilePart:
    """Part `number` of `parts` of a file's row groups. `file` is Delta's `add` action in JSON."""

    file: str
    number: int
    parts: int


def split_into_parts(files: Sequence[str]) -> list[FilePart]:
    """Splits files (`add` actions) into parts of about equal size, one for each task."""
    split = []
    for file in files:
        add = json.loads(file)["add"]
        if add.get("deletionVector"):
            raise UserError(
                f"rows of {add['path']} are deleted by a deletion vector, which Lagoon can't read",
                "Rewrite the file with `reorg table … apply (purge)`, then run this again",
            )
        rows = json.loads(add.get("stats") or "{}").get("numRecords", 0)
        parts = max(1, round(rows / ROWS_PER_PART))
        split += [FilePart(file, number, parts) for number in range(parts)]
    return split


def read_parts(
    tasks: Iterable[pa.RecordBatch],
    parts: Sequence[FilePart],
    files: TableFiles,
    columns: list[str],
    row_filter: pc.Expression,
) -> Iterator[pa.RecordBatch]:
    """The matching rows of the parts that the column `id` of `tasks` numbers."""
    for batch in tasks:
        for number in batch["id"].to_pylist():
            yield from _read_part(parts[number], files, columns, row_filter)


def _read_part(
    part: FilePart, files: TableFiles, columns: list[str], row_filter: pc.Expression
) -> Iterator[pa.RecordBatch]:
    add = json.loads(part.file)["add"]
    schema = pa.schema([field.with_nullable(True) for field in files.columns])
    values = [
        pc.field(name) == pa.scalar(add["partitionValues"][name]).cast(schema.field(name).type)
        for name in files.partitioned_by
    ]
    parquet = ds.ParquetFileFormat()
    filesystem, root = files.open_folder()
    path = f"{root}/{unquote(add['path'])}"
    file = parquet.make_fragment(path, filesystem, functools.reduce(operator.and_, values) if values else None)
    if part.parts > 1:
        groups = [group.id for group in file.row_groups]
        of_part = groups[len(groups) * part.number // part.parts : len(groups) * (part.number + 1) // part.parts]
        if not of_part:
            return
        file = file.subset(row_group_ids=of_part)
    dataset = ds.FileSystemDataset([file], schema, parquet, filesystem)
    yield from dataset.scanner(columns, row_filter, _ROWS_PER_BATCH, batch_readahead=1, use_threads=False).to_batches()
