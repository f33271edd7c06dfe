"""The folder of a Delta table, read and committed without Spark: for commands that hold the write lock and touch few files.

The deltalake package reads the log. It can't rewrite files below folders with escaped names (`cluster=a%20b`), so files and
commits are written here, as Delta's protocol describes them.
"""

import datetime as dt
import json
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq

import schemas
from spark_jobs.errors import UserError
from spark_jobs.lake.file_folder import REQUESTS_AT_ONCE, FileFolder, FoundFile
from spark_jobs.lake.file_statistics import file_statistics
from spark_jobs.lake.layers import LAYERS
from spark_jobs.lake.table_files import with_columns_of
from spark_jobs.store.store_access import in_store
from spark_jobs.store.store_errors import is_about_a_store

LOG = "_delta_log"


@dataclass(frozen=True)
class DataFile:
    # As the log writes it: escaped.
    address: str
    # Below the table's folder.
    path: str
    partition: Mapping[str, Any] = field(compare=False)
    size: int


@dataclass(frozen=True)
class TableFolder:
    """The newest version of a table."""

    name: str
    folder: FileFolder
    version: int
    columns: pa.Schema
    partitioned_by: tuple[str, ...]
    files: tuple[DataFile, ...]

    @property
    def columns_in_files(self) -> pa.Schema:
        return pa.schema([f.with_nullable(True) for f in self.columns if f.name not in self.partitioned_by])

    def read(self, path: str) -> pa.Table:
        """The rows of a file, without the partition columns."""
        return self.rows_in(path, self.folder.read(path))

    def read_each(self, files: Sequence[DataFile], columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """The rows of each file, with some columns only if they are named."""
        paths = [file.path for file in files]
        for path, content in zip(paths, self.folder.read_each(paths), strict=True):
            yield self.rows_in(path, content, columns)

    def rows_in(self, path: str, content: bytes | None, columns: Sequence[str] | None = None) -> pa.Table:
        if content is None:
            raise FileNotFoundError(self.folder.address(path))
        try:
            rows = read_parquet(content, columns)
        except pa.ArrowInvalid as error:
            raise OSError(f"{self.folder.address(path)}: {error}") from error
        wanted = [f for f in self.columns_in_files if columns is None or f.name in columns]
        return with_columns_of(rows, pa.schema(wanted))

    def write(self, rows: pa.Table, partition: Mapping[str, Any], like: DataFile | None = None) -> dict[str, Any]:
        """Writes a file into the folder of `like`, a file of the same partition. Returns Delta's action that adds it."""
        folder = like.address.rpartition("/")[0] if like else ""
        address = f"{folder}/part-{uuid.uuid4()}.zstd.parquet".lstrip("/")
        footers: list[pq.FileMetaData] = []
        stream = pa.BufferOutputStream()
        with pq.ParquetWriter(
            stream, self.columns_in_files, compression="zstd", store_schema=False, metadata_collector=footers
        ) as writer:
            writer.write_table(with_columns_of(rows, self.columns_in_files))
        content = stream.getvalue().to_pybytes()
        self.folder.write(unquote(address), content)
        declared = schemas.tables().get(self.name)
        statistics = file_statistics(footers[0], declared.columns_with_statistics if declared else ())
        return {
            "path": address,
            "partitionValues": {name: None if value is None else str(value) for name, value in partition.items()},
            "size": len(content),
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
        content = "".join(json.dumps(action, ensure_ascii=False) + "\n" for action in actions)
        if not self.folder.create(f"{LOG}/{self.version + 1:020}.json", content.encode()):
            raise UserError(f"another process changed {self.name} meanwhile", "Wait until it ends, then run this again")
        return open_folder(self.name, self.folder)

    def data_files(self) -> list[FoundFile]:
        """All files of rows in the folder, also those that no version needs."""
        return [file for file in self.folder.files() if not file.path.startswith(f"{LOG}/")]

    def log_files(self) -> list[FoundFile]:
        return self.folder.files(LOG)

    def not_needed(self, since: dt.datetime) -> list[FoundFile]:
        """Files that no version of the time since then has, and that are older."""
        needed = {file.path for file in self.files} | self._removed_since(since)
        return [
            file
            for file in self.data_files()
            if file.path not in needed and _described_file(file.path) not in needed and file.modified_at < since
        ]

    def _removed_since(self, since: dt.datetime) -> set[str]:
        recent = [f.path for f in self.log_files() if f.path.endswith(".json") and f.modified_at >= since]
        lines = [line for commit in self.folder.read_each(recent) for line in (commit or b"").splitlines()]
        removed = [json.loads(line).get("remove") for line in lines]
        return {unquote(action["path"]) for action in removed if action}


def read_parquet(content: bytes, columns: Sequence[str] | None = None) -> pa.Table:
    with pq.ParquetFile(pa.BufferReader(content)) as file:
        return file.read(columns=columns)


def _described_file(path: str) -> str:
    """The file whose checksum this is, in a file as Spark writes it."""
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}{name.removeprefix('.').removesuffix('.crc')}"


def open_folders(lake: FileFolder) -> dict[str, TableFolder]:
    """All tables of a lake, by name."""
    names = [(layer, name) for layer in LAYERS for name in lake.folders(layer)]
    with ThreadPoolExecutor(REQUESTS_AT_ONCE) as pool:
        tables = list(pool.map(lambda place: _open_if_committed(lake.below("/".join(place)), ".".join(place)), names))
    if not names:
        raise UserError(f"there is no lake at {lake.uri}", "Create one with `lagoon run`, or name another with --lake")
    return {table.name: table for table in tables if table is not None}


def _open_if_committed(folder: FileFolder, name: str) -> TableFolder | None:
    """A run that was killed while it created a table leaves a folder without a commit."""
    has_commit = any(file.path.endswith((".json", ".parquet")) for file in folder.files(LOG))
    return open_folder(name, folder) if has_commit else None


def open_folder(name: str, folder: FileFolder) -> TableFolder:
    from deltalake import DeltaTable
    from deltalake.exceptions import DeltaError

    try:
        table = DeltaTable(folder.uri, storage_options=folder.delta_options)
        protocol = table.protocol()
        actions: Sequence[dict[str, Any]] = pa.table(table.get_add_actions()).to_pylist()
        columns = pa.schema(table.schema().to_arrow())
    except DeltaError as error:
        if in_store(folder.uri) and is_about_a_store(str(error)):
            raise  # That it does not answer is no damage.
        raise UserError(
            f"{name} has a Delta log that is damaged", f"Restore {folder.uri} from a copy: docs/operations.md"
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
            DataFile(each["path"], unquote(each["path"]), each.get("partition") or {}, each["size_bytes"])
            for each in actions
        ),
    )


def _milliseconds() -> int:
    return int(dt.datetime.now(dt.UTC).timestamp() * 1000)
