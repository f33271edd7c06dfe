"""A bounded part of `benchmarks.fuzz_inputs`: nothing that a landed file holds may raise, and every receipt adds up."""

import pytest

from benchmarks.fuzz_inputs import FuzzResult, fuzz

INPUTS = 10_000


@pytest.mark.parametrize("seed", [1, 2])
def test_no_damaged_input_raises(seed: int) -> None:
    result = fuzz(INPUTS, seed)
    assert not result.failures, report(result)
    assert sum(counts.inputs for counts in result.counts.values()) >= INPUTS
    assert len(result.counts) > 20
    for name, counts in result.counts.items():
        # Of a truncated file often nothing is left.
        assert name.startswith("truncated") or 0 < counts.understood < counts.records, name


def report(result: FuzzResult) -> str:
    return "\n\n".join(
        f"{place}\n{failure.error}\n{b''.join(failure.pieces)[:3000]!r}" for place, failure in result.failures.items()
    )
