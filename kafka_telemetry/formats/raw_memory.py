"""Reads and writes numbers at byte positions of an array in compiled code, without any check of the position.

Callers make sure that the position is inside the array. Copies in steps of eight bytes may touch up to seven bytes after
the end of the data, so buffers are allocated with SLACK bytes more.
"""

from collections.abc import Callable
from typing import Any, cast

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from kafka_telemetry.formats.compiled import compiled

SLACK = 16

_intrinsic = cast(Callable[[Any], Any], intrinsic)
_types = cast(Any, types)


def _pointer(context: Any, builder: Any, kind: Any, array: Any, at: Any, bits: int) -> Any:
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [at]), ir.IntType(bits).as_pointer())


def _big_endian_reader(bits: int, *, signed: bool) -> Any:
    def read(_: Any, array: Any, _at: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            pointer = _pointer(context, builder, signature.args[0], args[0], args[1], bits)
            value = builder.load(pointer, align=1)
            if bits > 8:
                value = builder.bswap(value)
            if bits == 64:
                return value
            return (builder.sext if signed else builder.zext)(value, ir.IntType(64))

        return _types.int64(array, _types.int64), code

    return _intrinsic(read)


byte_at = cast(Callable[[Any, int], int], _big_endian_reader(8, signed=False))
int8_at = cast(Callable[[Any, int], int], _big_endian_reader(8, signed=True))
int16_at = cast(Callable[[Any, int], int], _big_endian_reader(16, signed=True))
int32_at = cast(Callable[[Any, int], int], _big_endian_reader(32, signed=True))
uint32_at = cast(Callable[[Any, int], int], _big_endian_reader(32, signed=False))
int64_at = cast(Callable[[Any, int], int], _big_endian_reader(64, signed=True))


def _eight_bytes_at(_: Any, array: Any, _at: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_pointer(context, builder, signature.args[0], args[0], args[1], 64), align=1)

    return _types.int64(array, _types.int64), code


def _put_eight_bytes(_: Any, array: Any, _at: Any, _value: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _pointer(context, builder, signature.args[0], args[0], args[1], 64), align=1)
        return context.get_dummy_value()

    return _types.void(array, _types.int64, _types.int64), code


def _put_byte(_: Any, array: Any, _at: Any, _value: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        byte = builder.trunc(args[2], ir.IntType(8))
        builder.store(byte, _pointer(context, builder, signature.args[0], args[0], args[1], 8))
        return context.get_dummy_value()

    return _types.void(array, _types.int64, _types.int64), code


# In the machine's own byte order: for copying and for testing eight bytes at once.
eight_bytes_at = cast(Callable[[Any, int], int], _intrinsic(_eight_bytes_at))
put_eight_bytes = cast(Callable[[Any, int, int], None], _intrinsic(_put_eight_bytes))
put_byte = cast(Callable[[Any, int, int], None], _intrinsic(_put_byte))

_LANES = 0x0001020304050607


@compiled
def lowest_lane(marks: int) -> int:
    """Returns the index of the first byte that is 1 among eight bytes of 0 and 1, at least one of which is 1."""
    return ((marks & -marks) * _LANES) >> 56
