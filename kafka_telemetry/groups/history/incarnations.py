"""Of which incarnation the generations are that a broker's log tells: its lines name none.

The offsets topic counts incarnations. Its records of one may be cleaned away, and a line must not be taken then for one
about the next that has the same number.
"""

from collections.abc import Mapping, Sequence

from kafka_telemetry.groups.history.observations import Recorded

# (time, generation) of a line by which a generation came into force.
Line = tuple[int, int]
# A record of the same number so far from a line is of another incarnation.
FAR = 3_600_000_000


def of_lines(
    lines: Sequence[Line],
    recorded: Mapping[int, Sequence[Recorded]],
    *,
    last_generation: int | None,
    incarnation: int,
    lost: int = 1,
    deletions: Sequence[int] = (),
) -> dict[Line, int]:
    """`lines` in the order of time; `last_generation` and `incarnation`: where the log stood before them;
    `lost`: the lowest number given so far; `deletions`: when the log says that the group was deleted.

    An incarnation that only the log tells, before or between those of the topic, gets a number below 1.
    """
    found = _recorded(lines, recorded)
    taken = {one.incarnation for of in recorded.values() for one in of if one.at is not None}
    for falls, life in _lives(lines, last_generation, deletions):
        known = [found[line] for line in life if line in found]
        if known:
            number = known[0]
        elif incarnation + int(falls) not in taken:
            number = incarnation + int(falls)
        else:
            number = lost = lost - 1
        incarnation = max(incarnation, number)
        found |= {line: number for line in life if line not in found}
    return found


def _recorded(lines: Sequence[Line], recorded: Mapping[int, Sequence[Recorded]]) -> dict[Line, int]:
    """Each record tells of one line, the nearest; where records are as many as lines, each line has its own."""
    pairs = sorted(
        (abs(at - one.at), (at, generation), one.incarnation)
        for at, generation in set(lines)
        for one in recorded.get(generation, ())
        if one.at is not None and abs(at - one.at) < FAR
    )
    found: dict[Line, int] = {}
    told = set()
    for _, line, incarnation in pairs:
        if line not in found and (line[1], incarnation) not in told:
            found[line] = incarnation
            told.add((line[1], incarnation))
    return found


def _lives(
    lines: Sequence[Line], last_generation: int | None, deletions: Sequence[int]
) -> list[tuple[bool, list[Line]]]:
    """A generation that falls, or comes after the group was deleted, begins the next incarnation: each with whether it is
    another than stood before it."""
    out: list[tuple[bool, list[Line]]] = []
    since: int | None = None
    for at, generation in lines:
        deleted = any((since is None or since < gone) and gone <= at for gone in deletions)
        falls = last_generation is not None and (deleted or generation < last_generation)
        if falls or not out:
            out.append((falls, []))
        out[-1][1].append((at, generation))
        since, last_generation = at, generation
    return out
