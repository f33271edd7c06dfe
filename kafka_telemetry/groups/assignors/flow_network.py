"""The maximum flow from a source to a sink at the lowest cost."""

from heapq import heappop, heappush
from typing import NamedTuple


class MaximumFlow(NamedTuple):
    value: int
    # Nodes on the source's side of the minimum cut.
    reached: list[bool]


class FlowNetwork:
    """Arcs with a capacity and a non-negative cost. The reverse of arc `a`, which takes flow back, is `a ^ 1`."""

    def __init__(self, nodes: int) -> None:
        self.outgoing: list[list[int]] = [[] for _ in range(nodes)]
        self.head: list[int] = []
        # The capacity that is left.
        self.residual: list[int] = []
        self.cost: list[int] = []

    def add_arc(self, tail: int, head: int, capacity: int, cost: int = 0) -> int:
        arc = len(self.head)
        self.head += (head, tail)
        self.residual += (capacity, 0)
        self.cost += (cost, -cost)
        self.outgoing[tail].append(arc)
        self.outgoing[head].append(arc + 1)
        return arc

    def flow(self, arc: int) -> int:
        return self.residual[arc ^ 1]

    def maximize_flow(self, source: int, sink: int) -> MaximumFlow:
        """Primal-dual: pushes flow along all cheapest paths at once, then along all next cheapest ones."""
        potential = [0] * len(self.outgoing)
        value = 0
        while True:
            reached = self._update_potentials(source, sink, potential)
            if not reached[sink]:
                return MaximumFlow(value, reached)
            while pushed := self._push_blocking_flow(source, sink, potential):
                value += pushed

    def _update_potentials(self, source: int, sink: int, potential: list[int]) -> list[bool]:
        """Gives the cheapest paths to the sink the reduced cost 0. Returns which nodes were reached."""
        head, residual, cost = self.head, self.residual, self.cost
        distances: list[int | None] = [None] * len(potential)
        done = [False] * len(potential)
        queue = [(0, source)]
        distances[source] = 0
        while queue:
            distance, node = heappop(queue)
            if done[node]:
                continue
            done[node] = True
            if node == sink:
                break
            base = distance + potential[node]
            for arc in self.outgoing[node]:
                if residual[arc]:
                    to = head[arc]
                    candidate = base + cost[arc] - potential[to]
                    known = distances[to]
                    if known is None or candidate < known:
                        distances[to] = candidate
                        heappush(queue, (candidate, to))
        if done[sink]:
            for node, known in enumerate(distances):
                potential[node] += known if known is not None and done[node] else distance
        return done

    def _push_blocking_flow(self, source: int, sink: int, potential: list[int]) -> int:
        """Pushes a blocking flow along the shortest of the paths with reduced cost 0."""
        head, residual = self.head, self.residual
        admissible = self._admissible_arcs(source, sink, potential)
        if admissible is None:
            return 0
        value, node, path = 0, source, list[int]()
        while True:
            if node == sink:
                amount = min(residual[arc] for arc in path)
                value += amount
                for arc in path:
                    residual[arc] -= amount
                    residual[arc ^ 1] += amount
                saturated = next(step for step, arc in enumerate(path) if not residual[arc])
                node = head[path[saturated] ^ 1]
                del path[saturated:]
            choices = admissible[node]
            while choices and not residual[choices[-1]]:
                choices.pop()
            if choices:
                path.append(choices[-1])
                node = head[choices[-1]]
            elif node == source:
                return value
            else:
                node = head[path.pop() ^ 1]
                admissible[node].pop()

    def _admissible_arcs(self, source: int, sink: int, potential: list[int]) -> list[list[int]] | None:
        """For each node its arcs of reduced cost 0 to the next layer; None if they do not lead to the sink."""
        head, residual, cost = self.head, self.residual, self.cost
        depth = [-1] * len(potential)
        depth[source] = 0
        admissible: list[list[int]] = [[] for _ in potential]
        layer = [source]
        while layer and depth[sink] < 0:
            next_layer = []
            for node in layer:
                node_potential, next_depth, choices = potential[node], depth[node] + 1, admissible[node]
                for arc in self.outgoing[node]:
                    to = head[arc]
                    if residual[arc] and depth[to] in (-1, next_depth) and cost[arc] + node_potential == potential[to]:
                        if depth[to] < 0:
                            depth[to] = next_depth
                            next_layer.append(to)
                        choices.append(arc)
                choices.reverse()
            layer = next_layer
        return admissible if depth[sink] >= 0 else None
