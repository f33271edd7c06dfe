"""A run of equal characters, however long, takes time in proportion to its length: no reader tries every start with every end."""

import random
import time

import pytest

from benchmarks.fuzz_checks import Follower
from benchmarks.fuzz_kinds import FuzzedKind, fuzzed_kinds

LENGTH = 200_000
RUNS = (
    b"x",
    b" ",
    b"\t",
    b"\n",
    b"1",
    b"1.",
    b"a-",
    b"a:",
    b"a=b, ",
    b'a="b",',
    b'"',
    b"'",
    b"\\",
    b"{",
    b"[",
    b"(",
    b",",
)
# A linear reader takes tenths of a second of a slow processor, one that takes the square minutes.
_MOST_SECONDS = 10.0
KINDS = fuzzed_kinds(random.Random(0))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_run_of_equal_characters_takes_time_in_proportion_to_its_length(kind: FuzzedKind) -> None:
    follower = Follower()
    piece = kind.pieces[0]
    follower.read_and_follow(kind, kind.head + piece)
    for run in RUNS:
        for at in (0, len(piece) // 2, len(piece) - 1):
            damaged = piece[:at] + run * (LENGTH // len(run)) + piece[at:]
            started = time.process_time()
            follower.read_and_follow(kind, kind.head + damaged)
            assert time.process_time() - started < _MOST_SECONDS, (run, at)


def test_the_kinds_are_those_of_the_fuzz() -> None:
    assert len(KINDS) > 20
