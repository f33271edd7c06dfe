"""Functions compiled by numba. The machine code is cached until a source that it was compiled from changes."""

import hashlib
import os
import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np

# The integer type of compiled code; to the type checker these are plain integers.
as_long = cast(Callable[[Any], int], np.int64)

_Function = TypeVar("_Function", bound=Callable[..., Any])

_ROOT = Path(__file__).parents[1]
_IMPORT = re.compile(r"^from (kafka_telemetry[\w.]*) import (\([^)]*\)|.*)$", re.MULTILINE)


def sources_of_compiled_code(root: Path = _ROOT) -> list[Path]:
    """The modules that compile functions, and all that they import: constants of those are compiled in too."""
    sources = {module_name(file, root): file for file in root.rglob("*.py")}
    imports = {name: _imports(file.read_text("utf-8"), sources) for name, file in sources.items()}
    found = {name for name, imported in imports.items() if __name__ in imported}
    reached: set[str] = set()
    while found:
        reached |= found
        found = {imported for name in found for imported in imports[name]} - reached
    return sorted(sources[name] for name in reached)


def module_name(file: Path, root: Path) -> str:
    return ".".join(file.relative_to(root.parent).with_suffix("").parts)


def _imports(source: str, known: Mapping[str, Path]) -> set[str]:
    names = set()
    for package, imported in _IMPORT.findall(source):
        names |= {package, *(f"{package}.{name}" for name in re.findall(r"\w+", imported))}
    return names & known.keys()


def _cache() -> Path:
    """numba notices only changes of the file that a function stands in: so there is one folder per state of them all."""
    sources = b"".join(source.read_bytes() for source in sources_of_compiled_code())
    state = hashlib.sha256(sources).hexdigest()[:16]
    if os.access(_ROOT, os.W_OK):
        return _ROOT / "__pycache__" / f"compiled-{state}"
    return Path(tempfile.gettempdir()) / f"lagoon-{os.getuid()}" / f"compiled-{state}"


# numba creates its settings at run time, where the type checker can't see them.
cast(Any, numba.config).CACHE_DIR = str(_cache())


def compiled(function: _Function) -> _Function:
    return cast(_Function, numba.njit(cache=True, nogil=True)(function))
