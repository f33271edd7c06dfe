"""The folder of a Delta table, read and committed without Spark: for commands that hold the write lock and touch few files.

The deltalake package reads the log. It can't rewrite files below folders with escaped names (`cluster=a%20b`), so files and
commits are written here, as Delta's protocol describes them.
"""

import datetime as dt
import json
import os
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq

import schemas
from spark_jobs.errors import UserError
from spark_jobs.lake.file_statistics import file_statistics
from spark_jobs.lake.layers import LAYERS
from spark_jobs.lake.location import absolute_uri, local_path
from spark_jobs.lake.table_files import with_columns_of

LOG = "_delta_log"


@dataclass(frozen=True)
class DataFile:
    # As the log writes it: escaped, below the table's folder.
    address: str
    path: Path
    partition: Mapping[str, Any] = field(compare=False)
    size: int


@dataclass(frozen=True)
class TableFolder:
    """The newest version of a table."""

    name: str
    folder: Path
    version: int
    columns: pa.Schema
    partitioned_by: tuple[str, ...]
    files: tuple[DataFile, ...]

    @property
    def log(self) -> Path:
        return self.folder / LOG

    @property
    def columns_in_files(self) -> pa.Schema:
        return pa.schema([f.with_nullable(True) for f in self.columns if f.name not in self.partitioned_by])

    def read(self, path: Path) -> pa.Table:
        """The rows of a file, without the partition columns."""
        with pq.ParquetFile(path) as file:
            return with_columns_of(file.read(), self.columns_in_files)

    def write(self, rows: pa.Table, partition: Mapping[str, Any], like: DataFile | None = None) -> dict[str, Any]:
        """Writes a file into the folder of `like`, a file of the same partition. Returns Delta's action that adds it."""
        folder = like.address.rpartition("/")[0] if like else ""
        address = f"{folder}/part-{uuid.uuid4()}.zstd.parquet".lstrip("/")
        path = self.folder / unquote(address)
        footers: list[pq.FileMetaData] = []
        with pq.ParquetWriter(
            path, self.columns_in_files, compression="zstd", store_schema=False, metadata_collector=footers
        ) as writer:
            writer.write_table(with_columns_of(rows, self.columns_in_files))
        declared = schemas.tables().get(self.name)
        statistics = file_statistics(footers[0], declared.columns_with_statistics if declared else ())
        return {
            "path": address,
            "partitionValues": {name: None if value is None else str(value) for name, value in partition.items()},
            "size": path.stat().st_size,
            "modificationTime": _milliseconds(),
            "stats": json.dumps(statistics, ensure_ascii=False),
        }

    def commit(
        self, removed: Iterable[DataFile], added: Iterable[dict[str, Any]], operation: str, *, data_change: bool = True
    ) -> "TableFolder":
        """Commits the next version. Returns the table as it is then."""
        now = _milliseconds()
        actions: list[dict[str, Any]] = [
            {
                "commitInfo": {
                    "timestamp": now,
                    "operation": operation,
                    "operationParameters": {},
                    "engineInfo": "Lagoon",
                }
            }
        ]
        actions += [
            {"remove": {"path": file.address, "deletionTimestamp": now, "dataChange": data_change}} for file in removed
        ]
        actions += [{"add": {**add, "dataChange": data_change}} for add in added]
        commit = self.log / f"{self.version + 1:020}.json"
        unfinished = self.log / f".{commit.name}.{uuid.uuid4()}.tmp"
        with unfinished.open("w", encoding="utf-8") as file:
            file.write("".join(json.dumps(action, ensure_ascii=False) + "\n" for action in actions))
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(unfinished, commit)  # Fails if another process has committed this version.
        except FileExistsError as error:
            raise UserError(
                f"another process changed {self.name} meanwhile", "Wait until it ends, then run this again"
            ) from error
        finally:
            unfinished.unlink()
        return open_folder(self.name, self.folder)

    def data_files_on_disk(self) -> Iterator[Path]:
        """All files of rows in the folder, also those that no version needs."""
        for top in sorted(self.folder.iterdir()):
            if top.name != LOG:
                yield from (path for path in ([top] if top.is_file() else sorted(top.rglob("*"))) if path.is_file())

    def not_needed(self, since: dt.datetime) -> list[Path]:
        """Files that no version of the time since then has, and that are older."""
        needed = {file.path for file in self.files} | self._removed_since(since)
        return [
            path
            for path in self.data_files_on_disk()
            if path not in needed
            and path.with_name(path.name.removeprefix(".").removesuffix(".crc")) not in needed
            and path.stat().st_mtime < since.timestamp()
        ]

    def _removed_since(self, since: dt.datetime) -> set[Path]:
        removed = set()
        for commit in self.log.glob("*.json"):
            if commit.stat().st_mtime >= since.timestamp():
                for line in commit.read_text("utf-8").splitlines():
                    if action := json.loads(line).get("remove"):
                        removed.add(self.folder / unquote(action["path"]))
        return removed


def delete_files(paths: Iterable[Path], root: Path) -> None:
    """Deletes files, and the folders below `root` that are empty then."""
    folders = set()
    for path in paths:
        path.unlink(missing_ok=True)
        folders.add(path.parent)
    for folder in sorted(folders, key=lambda each: -len(each.parts)):
        while folder != root and root in folder.parents and folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
            folder = folder.parent


def open_folders(uri: str) -> dict[str, TableFolder]:
    """All tables of a lake on this machine, by name."""
    root = local_path(absolute_uri(uri))
    if root is None:
        raise UserError(
            f"the lake {uri} is in an object store, and this works on a folder of this machine only",
            "What can be done there instead is in docs/operations.md, Object stores",
        )
    folders = [log.parent for layer in LAYERS for log in sorted((root / layer).glob(f"*/{LOG}"))]
    if not folders:
        raise UserError(f"there is no lake at {uri}", "Create one with `lagoon run`, or name another with --lake")
    tables = [open_folder(f"{folder.parent.name}.{folder.name}", folder) for folder in folders if _has_commit(folder)]
    return {table.name: table for table in tables}


def open_folder(name: str, folder: Path) -> TableFolder:
    from deltalake import DeltaTable
    from deltalake.exceptions import DeltaError

    try:
        table = DeltaTable(str(folder))
        protocol = table.protocol()
        actions: Sequence[dict[str, Any]] = pa.table(table.get_add_actions()).to_pylist()
        columns = pa.schema(table.schema().to_arrow())
    except DeltaError as error:
        raise UserError(
            f"{name} has a Delta log that is damaged", f"Restore {folder} from a copy: docs/operations.md"
        ) from error
    if protocol.min_reader_version > 1 or protocol.min_writer_version > 2:
        raise UserError(f"{name} uses features of Delta Lake that Lagoon does not", "Restore the table from a copy")
    return TableFolder(
        name,
        folder,
        table.version(),
        columns,
        tuple(table.metadata().partition_columns),
        tuple(
            DataFile(each["path"], folder / unquote(each["path"]), each.get("partition") or {}, each["size_bytes"])
            for each in actions
        ),
    )


def _has_commit(folder: Path) -> bool:
    """A run that was killed while it created a table leaves a folder without one."""
    return any((folder / LOG).glob("*.json")) or any((folder / LOG).glob("*.parquet"))


def _milliseconds() -> int:
    return int(dt.datetime.now(dt.UTC).timestamp() * 1000)
