"""How even a group can be: the loads of the most balanced assignments that its subscriptions allow.

The most balanced assignments have the smallest largest load, among those the smallest second largest load, and so on.
The same assignments have the largest smallest load, the smallest sum of squares and the smallest spread: for loads that
a flow can realize these are one set (Frank and Murota, *Decreasing minimization on M-convex sets*, 2022).

They are found by bisection. Let n members share N partitions. Try to assign all N with no member above a level. If the
minimum cut prevents it, the members on the source's side must hold all topics that only they subscribe to, at that
level or above, and the other members hold the rest, at that level or below: two groups that are independent of each
other. If neither the level above N/n nor the one below it cuts the group, each member can have either of the two loads.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kafka_telemetry.groups.assignors.flow_network import FlowNetwork


class LoadLevel(NamedTuple):
    """Members that hold exactly these topics in every most balanced assignment, and the loads that each can have."""

    members: list[int]
    topics: list[str]
    fewest: int
    most: int


class _Part(NamedTuple):
    """Bundles of topics with the same subscribers, and classes of members with the same topics, by number."""

    # The classes that subscribe to each bundle.
    bundles: dict[int, list[int]]
    classes: list[int]


def load_levels(
    members: int, subscribers: Mapping[str, Sequence[int]], partitions: Mapping[str, int]
) -> list[LoadLevel]:
    """`members` is how many there are; `subscribers` contains only topics with partitions."""
    topics_by_subscribers: dict[tuple[int, ...], list[str]] = {}
    for topic, positions in subscribers.items():
        topics_by_subscribers.setdefault(tuple(positions), []).append(topic)
    bundles = list(topics_by_subscribers.values())
    sizes = [sum(partitions[topic] for topic in bundle) for bundle in bundles]
    bundles_of_member: list[list[int]] = [[] for _ in range(members)]
    for bundle, subscribed_by in enumerate(topics_by_subscribers):
        for position in subscribed_by:
            bundles_of_member[position].append(bundle)
    members_by_bundles: dict[tuple[int, ...], list[int]] = {}
    for position, numbers in enumerate(bundles_of_member):
        members_by_bundles.setdefault(tuple(numbers), []).append(position)
    classes = list(members_by_bundles.values())
    classes_of_bundle: dict[int, list[int]] = {bundle: [] for bundle in range(len(bundles))}
    for member_class, subscribed in enumerate(members_by_bundles):
        for bundle in subscribed:
            classes_of_bundle[bundle].append(member_class)

    levels = []
    open_parts = [_Part(classes_of_bundle, list(range(len(classes))))] if members else []
    while open_parts:
        part = open_parts.pop()
        in_part = [position for member_class in part.classes for position in classes[member_class]]
        fewest, extra = divmod(sum(sizes[bundle] for bundle in part.bundles), len(in_part))
        most = fewest + (extra > 0)
        halves = _cut(part, most, sizes, classes) or (fewest < most and _cut(part, fewest, sizes, classes))
        if halves:
            open_parts += halves
        else:
            topics = [topic for bundle in part.bundles for topic in bundles[bundle]]
            levels.append(LoadLevel(sorted(in_part), topics, fewest, most))
    return levels


def _cut(part: _Part, level: int, sizes: list[int], classes: list[list[int]]) -> tuple[_Part, _Part] | None:
    """Cuts a part at a level; None if all members can have that load."""
    source, sink = 0, 1
    bundle_node = {bundle: node for node, bundle in enumerate(part.bundles, 2)}
    class_node = {member_class: node for node, member_class in enumerate(part.classes, 2 + len(bundle_node))}
    network = FlowNetwork(2 + len(bundle_node) + len(class_node))
    for bundle, subscribed in part.bundles.items():
        network.add_arc(source, bundle_node[bundle], sizes[bundle])
        for member_class in subscribed:
            network.add_arc(bundle_node[bundle], class_node[member_class], sizes[bundle])
    for member_class, node in class_node.items():
        network.add_arc(node, sink, level * len(classes[member_class]))
    flow, reached = network.maximize_flow(source, sink)
    needed = sum(sizes[bundle] for bundle in part.bundles)
    capacity = level * sum(len(classes[member_class]) for member_class in part.classes)
    if flow == min(needed, capacity):
        return None
    above = {member_class for member_class in part.classes if reached[class_node[member_class]]}
    upper = {bundle: subscribed for bundle, subscribed in part.bundles.items() if reached[bundle_node[bundle]]}
    lower = {
        bundle: [member_class for member_class in subscribed if member_class not in above]
        for bundle, subscribed in part.bundles.items()
        if bundle not in upper
    }
    below = [member_class for member_class in part.classes if member_class not in above]
    return _Part(upper, sorted(above)), _Part(lower, below)
