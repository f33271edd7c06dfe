"""Damaged log lines, dumps, tables, metrics and segments by the million: nothing that a landed file holds may raise.

    python -m benchmarks.fuzz_inputs [--inputs 1000000] [--seed 1] [--only KIND]

Every input is one piece of a small file: recorded or written like a recorded one, and damaged in up to three places. Each
file goes through its reader and on through the replay or the history of its groups. Checked are that nothing raises, that
the receipt adds up, and that all rows can be stored in their tables.
"""

import argparse
import random
import resource
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.fuzz_checks import Follower
from benchmarks.fuzz_kinds import FuzzedKind, fuzzed_kinds

_MOST_FAILURES = 20
# In seconds of CPU time. A small file that takes longer could be a large one that takes for ever.
_LONGEST = 2.0


@dataclass
class FuzzCounts:
    """Of one kind."""

    inputs: int = 0
    files: int = 0
    records: int = 0
    understood: int = 0
    not_understood: int = 0
    ignored: int = 0
    slowest: float = 0.0


@dataclass
class Failure:
    kind: str
    error: str
    # The fewest pieces that fail together.
    pieces: Sequence[bytes]


@dataclass
class FuzzResult:
    counts: dict[str, FuzzCounts] = field(default_factory=dict)
    # By the line of code that raised.
    failures: dict[str, Failure] = field(default_factory=dict)
    failed_files: Counter[str] = field(default_factory=Counter)


def fuzz(inputs: int, seed: int, only: str = "") -> FuzzResult:
    chance = random.Random(seed)
    kinds = [kind for kind in fuzzed_kinds(random.Random(0)) if only in kind.name]
    result = FuzzResult({kind.name: FuzzCounts() for kind in kinds})
    follower = Follower()
    for kind in kinds:
        # What is compiled or loaded at first use is no slow input.
        follower.read_and_follow(kind, kind.head + b"".join(kind.pieces[: kind.pieces_in_file]))
    while sum(counts.inputs for counts in result.counts.values()) < inputs and len(result.failures) < _MOST_FAILURES:
        # By the share of inputs, of which a file has several.
        kind = chance.choices(kinds, [kind.share / kind.pieces_in_file for kind in kinds])[0]
        _fuzz_file(kind, _damaged_pieces(kind, chance), follower, result)
    return result


def _fuzz_file(kind: FuzzedKind, pieces: Sequence[bytes], follower: Follower, result: FuzzResult) -> None:
    counts = result.counts[kind.name]
    started = time.process_time()
    try:
        receipt = follower.read_and_follow(kind, kind.head + b"".join(pieces))
    except Exception as error:
        place = _place(error)
        result.failed_files[place] += 1
        if place not in result.failures:
            result.failures[place] = Failure(
                kind.name, traceback.format_exc(), _fewest_pieces(kind, pieces, follower, place)
            )
    else:
        counts.records += receipt.records
        counts.understood += receipt.understood
        counts.not_understood += receipt.not_understood
        counts.ignored += receipt.ignored
    taken = time.process_time() - started
    if taken > _LONGEST:
        result.failures[f"slow {kind.name}"] = Failure(kind.name, f"{taken:.1f} s", pieces)
    counts.inputs += len(pieces)
    counts.files += 1
    counts.slowest = max(counts.slowest, taken)


def _damaged_pieces(kind: FuzzedKind, chance: random.Random) -> list[bytes]:
    start = chance.randrange(len(kind.pieces))
    whole = [kind.pieces[(start + i) % len(kind.pieces)] for i in range(kind.pieces_in_file)]
    pieces = [kind.damage(piece, chance.choice(kind.pieces), chance) for piece in whole]
    if chance.random() < 0.3:
        chance.shuffle(pieces)
    return pieces


def _fewest_pieces(kind: FuzzedKind, pieces: Sequence[bytes], follower: Follower, place: str) -> Sequence[bytes]:
    """Leaves out one piece after the other as long as the file still fails at the same place."""
    for left_out in range(len(pieces) - 1, -1, -1):
        fewer = [*pieces[:left_out], *pieces[left_out + 1 :]]
        try:
            follower.read_and_follow(kind, kind.head + b"".join(fewer))
        except Exception as error:
            if _place(error) == place:
                pieces = fewer
    return pieces


def _place(error: Exception) -> str:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "site-packages" not in frame.filename]
    return f"{type(error).__name__} in {frames[-1].filename.rpartition('/')[2]}:{frames[-1].lineno}"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--inputs", type=int, default=1_000_000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--only", default="", help="kinds whose name contains this text")
    chosen = options.parse_args()
    started = time.perf_counter()
    result = fuzz(chosen.inputs, chosen.seed, chosen.only)
    seconds = time.perf_counter() - started
    print(
        f"{'kind':28}{'inputs':>10}{'files':>9}{'records':>10}{'understood':>12}{'not':>9}{'ignored':>9}{'slowest':>9}"
    )
    for name, counts in result.counts.items():
        print(
            f"{name:28}{counts.inputs:10,}{counts.files:9,}{counts.records:10,}{counts.understood:12,}"
            f"{counts.not_understood:9,}{counts.ignored:9,}{counts.slowest:8.2f}s"
        )
    for place, failure in result.failures.items():
        print(f"\n{result.failed_files[place]:,} files of {failure.kind} failed: {place}\n{failure.error}")
        print(b"".join(failure.pieces)[:3000])
    inputs = sum(counts.inputs for counts in result.counts.values())
    print(
        f"\n{inputs:,} inputs in {seconds:.0f} s, {inputs / seconds:,.0f} a second, {len(result.failures)} kinds of failures"
    )
    print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")
    raise SystemExit(bool(result.failures))


if __name__ == "__main__":
    main()
