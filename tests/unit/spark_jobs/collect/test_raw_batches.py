"""Whole batches are cut out of what a broker sends, here of segments that a real broker wrote."""

from pathlib import Path

import pytest
from support.segment_reading import read_file, read_rows, recorded_segments

from spark_jobs.collect.raw_batches import FetchedBatches, NotABatchError, whole_batches

SEGMENT = read_file(recorded_segments()[0])


def batch_offsets(content: bytes) -> list[tuple[int, int, int, int]]:
    """First and last offset, begin and end of each batch, by their lengths alone."""
    found, at = [], 0
    while at < len(content):
        base, length = int.from_bytes(content[at : at + 8], "big"), int.from_bytes(content[at + 8 : at + 12], "big")
        delta = int.from_bytes(content[at + 23 : at + 27], "big")
        found.append((base, base + delta, at, at + 12 + length))
        at += 12 + length
    return found


BATCHES = batch_offsets(SEGMENT)


def test_all_of_a_segment_is_kept_if_all_of_it_was_asked_for() -> None:
    first, last = BATCHES[0], BATCHES[-1]
    rows, _ = read_rows(SEGMENT)
    assert len(BATCHES) > 50

    assert whole_batches(SEGMENT, first[0]) == FetchedBatches(SEGMENT, first[0], last[1] + 1, len(rows))


@pytest.mark.parametrize("recorded", recorded_segments(), ids=lambda path: f"{path.parents[3].name}-{path.stem}")
def test_segments_of_every_recording_consist_of_whole_batches(recorded: Path) -> None:
    content = read_file(recorded)
    found = whole_batches(content, 0)
    assert content.startswith(found.content)
    # Some were copied while the broker wrote them, or have room that it preallocated.
    assert not content[len(found.content) :].strip(b"\0") or len(content) - len(found.content) < 10_000


def test_a_batch_that_was_cut_off_is_left_for_the_next_request() -> None:
    _, _, _, end = BATCHES[10]
    following = BATCHES[11]
    for cut in (end, end + 1, end + 12, end + 16, end + 17, end + 40, following[3] - 1):
        found = whole_batches(SEGMENT[:cut], BATCHES[0][0])
        assert (found.content, found.next_offset) == (SEGMENT[:end], BATCHES[10][1] + 1), cut


def test_batches_below_the_offset_are_dropped_and_the_one_with_it_is_whole() -> None:
    wide = next(batch for batch in BATCHES[5:] if batch[1] > batch[0])
    before = whole_batches(SEGMENT, wide[0])
    within = whole_batches(SEGMENT, wide[1])
    after = whole_batches(SEGMENT, wide[1] + 1)

    assert before == within
    assert (within.content, within.base_offset) == (SEGMENT[wide[2] :], wide[0])
    assert after.content == SEGMENT[wide[3] :]


def test_small_answers_one_after_the_other_give_the_segment() -> None:
    asked, parts = BATCHES[0][0], []
    while asked <= BATCHES[-1][1]:
        begin = next(batch[2] for batch in BATCHES if batch[1] >= asked)
        # As a broker does: the whole first batch, and whatever else fits.
        end = max(begin + 1000, next(batch[3] for batch in BATCHES if batch[1] >= asked))
        found = whole_batches(memoryview(SEGMENT)[begin:end], asked)
        parts.append(found.content)
        asked = found.next_offset
    assert len(parts) > 10
    assert b"".join(parts) == SEGMENT


def test_nothing_is_nothing() -> None:
    assert whole_batches(b"", 7) == FetchedBatches(b"", 7, 7, 0)
    assert whole_batches(SEGMENT[:20], 0) == FetchedBatches(b"", 0, 0, 0)


def test_bytes_that_are_no_batch_are_refused() -> None:
    with pytest.raises(NotABatchError, match="at byte 0 of what the broker sent for offset 5"):
        whole_batches(b"HTTP/1.1 400 Bad Request\r\n\r\n", 5)
    damaged = bytearray(SEGMENT)
    damaged[BATCHES[3][2] + 8 : BATCHES[3][2] + 12] = bytes(4)
    with pytest.raises(NotABatchError, match=f"at byte {BATCHES[3][2]} "):
        whole_batches(damaged, 0)
