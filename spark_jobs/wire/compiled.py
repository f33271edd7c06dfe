"""Functions that numba compiles, once per state of these sources: the machine code is kept beside them."""

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np

# What compiled code makes its numbers; to the type checker they are whole numbers like others.
as_long = cast(Callable[[Any], int], np.int64)

_Function = TypeVar("_Function", bound=Callable[..., Any])

_HERE = Path(__file__).parent
# Compiled functions, and the numbers they were compiled with.
_SOURCES = ("batch_*.py", "record_*.py", "checksums.py", "compiled.py", "json_text.py", "raw_memory.py", "varints.py")


def _cache() -> Path:
    """numba sees only changes of the file a function stands in, not of what it calls: so a folder per state of all."""
    sources = sorted(source for pattern in _SOURCES for source in _HERE.glob(pattern))
    state = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:16]
    if os.access(_HERE, os.W_OK):
        return _HERE / "__pycache__" / f"compiled-{state}"
    return Path(tempfile.gettempdir()) / f"lagoon-{os.getuid()}" / f"compiled-{state}"


# Its settings are made at run time, out of sight of the type checker.
cast(Any, numba.config).CACHE_DIR = str(_cache())


def compiled(function: _Function) -> _Function:
    return cast(_Function, numba.njit(cache=True, nogil=True)(function))
