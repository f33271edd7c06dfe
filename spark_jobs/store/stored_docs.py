"""Data Docs of a lake in an object store: written in a folder of this machine, and copied site by site."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from spark_jobs.store.object_folder import ObjectFolder

_AT_ONCE = 8


def prepare_docs(folder: Path, stored: ObjectFolder) -> None:
    """Makes an empty folder for each site that is stored, so that the index lists it."""
    for day in stored.folders(""):
        for site in stored.folders(f"{day}/"):
            (folder / day / site).mkdir(parents=True, exist_ok=True)


def publish_docs(folder: Path, stored: ObjectFolder) -> None:
    """Replaces the sites that were written since, and then the index."""
    for site in sorted(folder.glob("*/*")):
        pages = [file for file in sorted(site.rglob("*")) if file.is_file()]
        if pages:
            place = site.relative_to(folder).as_posix()
            new = {file.relative_to(folder).as_posix() for file in pages}
            with ThreadPoolExecutor(_AT_ONCE) as pool:
                list(pool.map(lambda file: _copy(file, folder, stored), pages))
            stored.delete([path for path in stored.paths(f"{place}/") if path not in new])
            shutil.rmtree(site)
            site.mkdir()
    _copy(folder / "index.html", folder, stored)


def _copy(file: Path, folder: Path, stored: ObjectFolder) -> None:
    stored.write(file.relative_to(folder).as_posix(), file.read_bytes())
