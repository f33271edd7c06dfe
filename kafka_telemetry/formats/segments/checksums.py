"""CRC-32C of record batches by the C function in google-crc32c's wheel, and CRC-32 of older messages."""

import ctypes
from pathlib import Path
from typing import Any

import google_crc32c
import llvmlite.binding
import numpy as np
from numba import types

from kafka_telemetry.formats.compiled import UInt8Array, as_long, compiled

_SYMBOL = "lagoon_crc32c_extend"


def _library() -> Path:
    """Finds the shared library: wheels for Linux put it beside the package, those for macOS inside."""
    package = Path(google_crc32c.__file__).parent
    for folder in (package.parent / "google_crc32c.libs", package / ".dylibs"):
        for library in sorted(folder.glob("libcrc32c*")):
            return library
    raise FileNotFoundError(f"no libcrc32c beside {package}: is google-crc32c installed from a wheel?")


_extend = ctypes.CDLL(str(_library())).crc32c_extend
# Code that calls an address can't be cached; code that calls a symbol bound at load time can.
llvmlite.binding.add_symbol(_SYMBOL, ctypes.cast(_extend, ctypes.c_void_p).value)
_uint32: Any = types.uint32
_crc32c: Any = types.ExternalFunction(_SYMBOL, _uint32(types.uint32, types.uintp, types.uintp))


@compiled
def crc32c(source: UInt8Array, start: int, end: int) -> int:
    return as_long(_crc32c(np.uint32(0), source.ctypes.data + start, end - start))


def _crc32_table() -> Any:
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, table >> 1 ^ np.uint32(0xEDB88320), table >> 1)
    return table.astype(np.uint32)


_CRC32 = _crc32_table()


@compiled
def crc32(source: UInt8Array, start: int, end: int) -> int:
    crc = np.uint32(0xFFFFFFFF)
    for i in range(start, end):
        crc = np.uint32(crc >> np.uint32(8)) ^ _CRC32[(crc ^ source[i]) & np.uint32(0xFF)]
    return as_long(crc ^ np.uint32(0xFFFFFFFF))
