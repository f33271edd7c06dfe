"""Lakes of two small days that earlier landed versions of Lagoon built: tests/recorded/lakes/make_lake.py."""

import tarfile
from pathlib import Path

_FOLDER = Path(__file__).parents[1] / "recorded" / "lakes"
# The commits that landed, oldest first.
OLD_LAKES = ("c245c9a", "10ad0fa", "0cef49d")


def unpack_lake(commit: str, folder: Path) -> Path:
    with tarfile.open(_FOLDER / f"{commit}.tar.xz") as packed:
        packed.extractall(folder, filter="data")
    return folder / "lake"
