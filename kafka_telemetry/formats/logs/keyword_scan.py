"""Finds the entries of a log that contain a keyword: the second pass over each byte of a file, compiled.

It marks the rarest letters of the keywords among 256 bytes at once, and compares whole keywords only where marks are set.
"""

import numpy as np

from kafka_telemetry.columns import Flags, Integers
from kafka_telemetry.formats.compiled import compiled
from kafka_telemetry.formats.raw_memory import lowest_lane
from kafka_telemetry.formats.text_bytes import Bytes

# Every line that can matter contains one of these keywords. Each comes with its rarest letters, which are searched
# first; `_mark_keywords` has the same letters as numbers.
KEYWORDS = {
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
_LONGEST = 32
_KEYWORDS = np.array([list(keyword.ljust(_LONGEST, "\0").encode()) for keyword in KEYWORDS], dtype=np.uint8)
_SIZES_AND_RARE = np.array([(len(word), word.index(rare)) for word, rare in KEYWORDS.items()], dtype=np.int64)


def has_keyword(block: Bytes, size: int, starts: Integers) -> Flags:
    """Marks the entries, which begin at `starts`, that contain a keyword or are lines of librdkafka."""
    out = np.zeros(len(starts), dtype=np.bool_)
    mask = np.empty(256, dtype=np.bool_)
    if len(starts):
        _mark_keywords(block, size, starts, mask, mask.view(np.int64), _KEYWORDS, _SIZES_AND_RARE, out)
    return out


@compiled
def _mark_keywords(
    block: Bytes,
    size: int,
    starts: Integers,
    mask: Flags,
    mask_eights: Integers,
    keywords: Bytes,
    sizes_and_rare: Integers,
    out: Flags,
) -> None:
    """1. Mark the entries that begin as lines of librdkafka do.

    2. For each 256 bytes: mark the places of rare letters, go on if there are none, compare the keywords at each mark,
       and mark the entry that contains the place.
    """
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
            some |= mask_eights[eight]
        if some == 0:
            continue
        for eight in range(32):
            left = mask_eights[eight]
            while left != 0:
                at = base + eight * 8 + lowest_lane(left)
                left &= left - 1
                if at < size and _is_keyword_at(block, at, keywords, sizes_and_rare):
                    while entry < last and starts[entry + 1] <= at:
                        entry += 1
                    out[entry] = out[entry] or at >= starts[entry]


@compiled
def _is_keyword_at(block: Bytes, at: int, keywords: Bytes, sizes_and_rare: Integers) -> bool:
    """Whether one of the keywords has its rare letters at this byte."""
    for word in range(len(sizes_and_rare)):
        start = at - sizes_and_rare[word, 1]
        same = 0
        while start >= 0 and same < sizes_and_rare[word, 0] and block[start + same] == keywords[word, same]:
            same += 1
        if same == sizes_and_rare[word, 0]:
            return True
    return False
