"""Cuts the bytes of a fetch answer at the borders of record batches."""

import struct
from typing import NamedTuple

# A record batch (magic 2): base offset, length of what follows, leader epoch, magic, CRC, attributes, last offset delta, base
# and maximal timestamp, producer id and epoch, base sequence, number of records.
_HEADER = struct.Struct(">qiibIhiqqqhii")
# What messages of older versions (magic 0 and 1) begin with too: offset, length, CRC, magic.
_HEAD = struct.Struct(">qiib")
_OVERHEAD = 12
_SMALLEST_LENGTH = {0: 14, 1: 22, 2: 49}


class NotABatchError(ValueError):
    """The bytes where a record batch should begin are none."""


class FetchedBatches(NamedTuple):
    """Whole batches, as they are on the broker's disk. Without any, `next_offset` is the offset that was asked for."""

    content: bytes
    base_offset: int
    next_offset: int
    # A compressed set of messages of an older version counts as one.
    records: int


def whole_batches(fetched: bytes | memoryview, asked: int) -> FetchedBatches:
    """The batches with records from the offset `asked` on. A broker begins its answer with the whole batch that contains the
    offset, and may end it in the middle of a batch."""
    view = memoryview(fetched)
    at, begin, base, following, records = 0, 0, asked, asked, 0
    while len(view) - at > _HEAD.size:
        offset, length, _, magic = _HEAD.unpack_from(view, at)
        if offset < 0 or length < _SMALLEST_LENGTH.get(magic, 1 << 31):
            raise NotABatchError(f"no record batch begins at byte {at} of what the broker sent for offset {asked}")
        end = at + _OVERHEAD + length
        if end > len(view):
            break
        last, count = offset, 1
        if magic == 2:
            header = _HEADER.unpack_from(view, at)
            last, count = offset + header[6], header[-1]
        if last < asked:
            begin = end
        else:
            base = offset if begin == at else base
            following, records = last + 1, records + count
        at = end
    return FetchedBatches(bytes(view[begin:at]), base, following, records)
