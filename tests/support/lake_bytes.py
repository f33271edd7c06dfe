"""Every byte of a lake, to look for a text: files as they are, and what Parquet files hold, their statistics included."""

from pathlib import Path

import pyarrow.parquet as pq


def files_containing(folder: Path, text: str) -> list[str]:
    found = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes()
        if path.suffix == ".parquet":
            rows = pq.ParquetFile(path)
            content += repr(rows.read().to_pylist()).encode() + repr(rows.metadata.to_dict()).encode()
        if text.encode() in content or text in str(path.relative_to(folder)):
            found.append(str(path.relative_to(folder)))
    return found
