"""How even a group can be: the loads of the most balanced assignments that its subscriptions allow.

Among all assignments there are those whose largest load is smallest, then whose next largest is smallest, and so on.
The same ones have the largest smallest load, the smallest sum of squares and the smallest spread: for loads that a
flow can give these are one set (Frank and Murota, *Decreasing minimization on M-convex sets*, 2022).

It is found by halving. Let members share N partitions, n members. Try to give all N with no member above a level; if
the narrowest cut stops it, the members on the source's side must hold all of the topics that only they want, at that
level or above, and the others hold the rest, at that level or below: two groups that have nothing to do with each
other. If neither the level above N/n nor the one below it cuts, each member can have one of the two.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kafka_telemetry.groups.assignors.flow_network import Network


class Level(NamedTuple):
    """Members who hold these topics alone, and nothing else, in every most balanced assignment."""

    members: list[int]
    topics: list[str]
    fewest: int
    most: int


class _Part(NamedTuple):
    # Members who want the same, and topics that the same want, are one.
    topics: dict[int, list[int]]
    kinds: list[int]


def levels(members: int, subscribers: Mapping[str, Sequence[int]], partitions: Mapping[str, int]) -> list[Level]:
    """The levels of a group of so many members; `subscribers` has only topics with partitions."""
    alike: dict[tuple[int, ...], list[str]] = {}
    for topic, places in subscribers.items():
        alike.setdefault(tuple(places), []).append(topic)
    bundles = list(alike.values())
    sizes = [sum(partitions[topic] for topic in bundle) for bundle in bundles]
    wants: list[list[int]] = [[] for _ in range(members)]
    for bundle, places in enumerate(alike):
        for place in places:
            wants[place].append(bundle)
    kinds: dict[tuple[int, ...], list[int]] = {}
    for place, wanted in enumerate(wants):
        kinds.setdefault(tuple(wanted), []).append(place)
    people = list(kinds.values())
    wanted_by: dict[int, list[int]] = {bundle: [] for bundle in range(len(bundles))}
    for kind, bundle_numbers in enumerate(kinds):
        for bundle in bundle_numbers:
            wanted_by[bundle].append(kind)

    found = []
    open_parts = [_Part(wanted_by, list(range(len(people))))] if members else []
    while open_parts:
        part = open_parts.pop()
        places = [place for kind in part.kinds for place in people[kind]]
        fewest, extra = divmod(sum(sizes[bundle] for bundle in part.topics), len(places))
        most = fewest + (extra > 0)
        halves = _cut(part, most, sizes, people) or (fewest < most and _cut(part, fewest, sizes, people))
        if halves:
            open_parts += halves
        else:
            topics = [topic for bundle in part.topics for topic in bundles[bundle]]
            found.append(Level(sorted(places), topics, fewest, most))
    return found


def _cut(part: _Part, level: int, sizes: list[int], people: list[list[int]]) -> tuple[_Part, _Part] | None:
    source, sink = 0, 1
    topic_node = {bundle: node for node, bundle in enumerate(part.topics, 2)}
    kind_node = {kind: node for node, kind in enumerate(part.kinds, 2 + len(topic_node))}
    network = Network(2 + len(topic_node) + len(kind_node))
    for bundle, kinds in part.topics.items():
        network.arc(source, topic_node[bundle], sizes[bundle])
        for kind in kinds:
            network.arc(topic_node[bundle], kind_node[kind], sizes[bundle])
    for kind, node in kind_node.items():
        network.arc(node, sink, level * len(people[kind]))
    flow, reached = network.fill(source, sink)
    needed = sum(sizes[bundle] for bundle in part.topics)
    room = level * sum(len(people[kind]) for kind in part.kinds)
    if flow == min(needed, room):
        return None
    above = {kind for kind in part.kinds if reached[kind_node[kind]]}
    upper = {bundle: kinds for bundle, kinds in part.topics.items() if reached[topic_node[bundle]]}
    lower = {
        bundle: [kind for kind in kinds if kind not in above]
        for bundle, kinds in part.topics.items()
        if bundle not in upper
    }
    return _Part(upper, sorted(above)), _Part(lower, [kind for kind in part.kinds if kind not in above])
