"""Compiles functions with numba and caches the machine code until one of its sources changes."""

import hashlib
import os
import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt

# The integer type of compiled code. The type checker sees it, and the elements of these arrays, as plain integers.
as_long = cast(Callable[[Any], int], np.int64)
UInt8Array = npt.NDArray[Any]
Int16Array = npt.NDArray[Any]
Int32Array = npt.NDArray[Any]
Int64Array = npt.NDArray[Any]

_Function = TypeVar("_Function", bound=Callable[..., Any])

_ROOT = Path(__file__).parents[1]
_IMPORT = re.compile(r"^from (kafka_telemetry[\w.]*) import (\([^)]*\)|.*)$", re.MULTILINE)


def sources_of_compiled_code(root: Path = _ROOT) -> list[Path]:
    """Lists the modules that compile functions and all that they import, whose constants are compiled in."""
    sources = {_module_name(file, root): file for file in root.rglob("*.py")}
    imports = {name: _imports(file.read_text("utf-8"), sources) for name, file in sources.items()}
    newly_reached = {name for name, imported in imports.items() if __name__ in imported}
    reached: set[str] = set()
    while newly_reached:
        reached |= newly_reached
        newly_reached = {imported for name in newly_reached for imported in imports[name]} - reached
    return sorted(sources[name] for name in reached)


def _module_name(file: Path, root: Path) -> str:
    return ".".join(file.relative_to(root.parent).with_suffix("").parts)


def _imports(source: str, known: Mapping[str, Path]) -> set[str]:
    names = set()
    for package, imported in _IMPORT.findall(source):
        names |= {package, *(f"{package}.{name}" for name in re.findall(r"\w+", imported))}
    return names & known.keys()


def _cache_folder() -> Path:
    """Returns a folder for this state of all sources: numba itself notices only a change of the function's own file."""
    sources = b"".join(source.read_bytes() for source in sources_of_compiled_code())
    state = hashlib.sha256(sources).hexdigest()[:16]
    if os.access(_ROOT, os.W_OK):
        return _ROOT / "__pycache__" / f"compiled-{state}"
    return Path(tempfile.gettempdir()) / f"lagoon-{os.getuid()}" / f"compiled-{state}"


# numba creates its settings at run time, where the type checker can't see them.
cast(Any, numba.config).CACHE_DIR = str(_cache_folder())


# Compiled functions borrow the arrays of their Python callers. Without NRT, numba's memory management, they can't
# allocate arrays and don't count references to them, which would take longer than the work on a row.
_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "_nrt": False}


def compiled(function: _Function) -> _Function:
    return cast(_Function, numba.njit(**_OPTIONS)(function))


def inlined(function: _Function) -> _Function:
    """Compiles a function into each compiled function that calls it."""
    return cast(_Function, numba.njit(**_OPTIONS, inline="always")(function))
