"""Which entries of a log hold a word that matters: the second pass over every byte of it, compiled as the first is."""

import numpy as np

from kafka_telemetry.columns import Flags, Integers
from kafka_telemetry.formats.compiled import compiled
from kafka_telemetry.formats.raw_memory import lowest_lane
from kafka_telemetry.formats.text_bytes import Bytes

# One of these words stands somewhere in every line that could matter; its rarest letters are looked for first, and
# `_find_words` must know the same ones.
_WORDS = {
    "oordinator": "oor",
    "Consumer clientId=": "Cons",
    "Consumer instanceId=": "Cons",
    "ConsumerConfig values": "Cons",
    "Setting offset for": "Sett",
    "GroupMetadata": "pMe",
    "OffsetMetadata": "tMe",
    "ClassicGroup": "cG",
    "StickyAssignor": "yA",
    "#consumer-": "#",
}
_TABLE = np.array([list(word.ljust(32, "\0").encode()) for word in _WORDS], dtype=np.uint8)
_SIZES = np.array([(len(word), word.index(rare)) for word, rare in _WORDS.items()], dtype=np.int64)


def with_a_word(block: Bytes, size: int, starts: Integers) -> Flags:
    """Which of the entries that start there hold a word that matters, or are librdkafka's."""
    out = np.zeros(len(starts), dtype=np.bool_)
    mask = np.empty(256, dtype=np.bool_)
    if len(starts):
        _find_words(block, size, starts, mask, mask.view(np.int64), _TABLE, _SIZES, out)
    return out


@compiled
def _find_words(
    block: Bytes, size: int, starts: Integers, mask: Flags, eights: Integers, table: Bytes, sizes: Integers, out: Flags
) -> None:
    for number in range(len(starts)):
        if block[starts[number]] == 37 and block[starts[number] + 2] == 124:  # %4|
            out[number] = True
    entry, last = 0, len(starts) - 1
    for base in range(starts[0] // 256 * 256, size, 256):
        step = block[base : base + 260]
        for place in range(256):
            one, two, three, four = step[place], step[place + 1], step[place + 2], step[place + 3]
            mask[place] = (
                ((one == 111) & (two == 111) & (three == 114))  # oor
                | ((one == 67) & (two == 111) & (three == 110) & (four == 115))  # Cons
                | ((one == 83) & (two == 101) & (three == 116) & (four == 116))  # Sett
                | (((one == 112) | (one == 116)) & (two == 77) & (three == 101))  # pMe, tMe
                | ((one == 99) & (two == 71))  # cG
                | ((one == 121) & (two == 65))  # yA
                | (one == 35)  # #
            )
        some = 0
        for eight in range(32):
            some |= eights[eight]
        if some == 0:
            continue
        for eight in range(32):
            left = eights[eight]
            while left != 0:
                at = base + eight * 8 + lowest_lane(left)
                left &= left - 1
                if at < size and _stands_in(block, at, table, sizes):
                    while entry < last and starts[entry + 1] <= at:
                        entry += 1
                    out[entry] = out[entry] or at >= starts[entry]


@compiled
def _stands_in(block: Bytes, at: int, table: Bytes, sizes: Integers) -> bool:
    """Whether one of the words has its rare letters there."""
    for word in range(len(sizes)):
        start = at - sizes[word, 1]
        same = 0
        while start >= 0 and same < sizes[word, 0] and block[start + same] == table[word, same]:
            same += 1
        if same == sizes[word, 0]:
            return True
    return False
