"""Assigns the generations of a broker log to incarnations of the group: log lines name none.

The offsets topic counts incarnations. Where the records of one were cleaned away, a line about it must not be taken for
one about the next incarnation that has the same number.
"""

from collections.abc import Mapping, Sequence

from kafka_telemetry.groups.history.recorded_generation import RecordedGeneration

# (time, generation) of a line by which a generation came into force.
GenerationLine = tuple[int, int]
# A record and a line of the same generation that are so far apart are of different incarnations.
SAME_INCARNATION_WITHIN = 3_600_000_000


def incarnations_of_lines(
    lines: Sequence[GenerationLine],
    recorded: Mapping[int, Sequence[RecordedGeneration]],
    *,
    last_generation: int | None,
    incarnation: int,
    lowest_incarnation: int = 1,
    deletions: Sequence[int] = (),
) -> dict[GenerationLine, int]:
    """`lines` are in the order of time, `recorded` by generation.

    `last_generation` and `incarnation` are the last ones of the log before these lines, `lowest_incarnation` is the
    lowest number given so far, `deletions` are the times at which the log reports that the group was deleted. An
    incarnation that only the log reports, before or between those of the topic, gets a number below 1.
    """
    incarnations = _recorded_incarnations(lines, recorded)
    used = {one.incarnation for same_number in recorded.values() for one in same_number if one.in_force_at is not None}
    for is_new, lifetime in _lifetimes(lines, last_generation, deletions):
        known = [incarnations[line] for line in lifetime if line in incarnations]
        if known:
            number = known[0]
        elif incarnation + int(is_new) not in used:
            number = incarnation + int(is_new)
        else:
            number = lowest_incarnation = lowest_incarnation - 1
        incarnation = max(incarnation, number)
        incarnations |= {line: number for line in lifetime if line not in incarnations}
    return incarnations


def _recorded_incarnations(
    lines: Sequence[GenerationLine], recorded: Mapping[int, Sequence[RecordedGeneration]]
) -> dict[GenerationLine, int]:
    """Matches each record with the line nearest in time, and each line with at most one record."""
    pairs = sorted(
        (abs(at - one.in_force_at), (at, generation), one.incarnation)
        for at, generation in set(lines)
        for one in recorded.get(generation, ())
        if one.in_force_at is not None and abs(at - one.in_force_at) < SAME_INCARNATION_WITHIN
    )
    incarnations: dict[GenerationLine, int] = {}
    matched = set()
    for _, line, incarnation in pairs:
        record = (line[1], incarnation)
        if line not in incarnations and record not in matched:
            incarnations[line] = incarnation
            matched.add(record)
    return incarnations


def _lifetimes(
    lines: Sequence[GenerationLine], last_generation: int | None, deletions: Sequence[int]
) -> list[tuple[bool, list[GenerationLine]]]:
    """Cuts the lines where an incarnation ends: where the number falls, or the group was deleted.

    Each part comes with whether it is another incarnation than the one before it.
    """
    lifetimes: list[tuple[bool, list[GenerationLine]]] = []
    previous_at: int | None = None
    for at, generation in lines:
        deleted = any((previous_at is None or previous_at < deletion) and deletion <= at for deletion in deletions)
        is_new = last_generation is not None and (deleted or generation < last_generation)
        if is_new or not lifetimes:
            lifetimes.append((is_new, []))
        lifetimes[-1][1].append((at, generation))
        previous_at, last_generation = at, generation
    return lifetimes
