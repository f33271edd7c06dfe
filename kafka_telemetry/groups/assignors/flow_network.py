"""The most that flows from a source to a sink, and the cheapest way for it."""

from heapq import heappop, heappush
from typing import NamedTuple


class Filled(NamedTuple):
    flow: int
    # Nodes that more could still flow to: the source's side of the narrowest cut.
    reached: list[bool]


class Network:
    """Arcs with room and a price that is not negative. The twin of arc `a`, which takes flow back, is `a ^ 1`."""

    def __init__(self, nodes: int) -> None:
        self.leaving: list[list[int]] = [[] for _ in range(nodes)]
        self.head: list[int] = []
        self.room: list[int] = []
        self.price: list[int] = []

    def arc(self, tail: int, head: int, room: int, price: int = 0) -> int:
        number = len(self.head)
        self.head += (head, tail)
        self.room += (room, 0)
        self.price += (price, -price)
        self.leaving[tail].append(number)
        self.leaving[head].append(number + 1)
        return number

    def flow(self, arc: int) -> int:
        return self.room[arc ^ 1]

    def fill(self, source: int, sink: int) -> Filled:
        """Primal-dual: all the cheapest paths at once, then all the next cheapest, till none is left."""
        worth = [0] * len(self.leaving)
        flow = 0
        while True:
            reached = self._revalue(source, sink, worth)
            if not reached[sink]:
                return Filled(flow, reached)
            while pushed := self._push(source, sink, worth):
                flow += pushed

    def _revalue(self, source: int, sink: int, worth: list[int]) -> list[bool]:
        """Sets each node's worth so that the cheapest paths to the sink cost nothing more; which nodes were reached."""
        head, room, price = self.head, self.room, self.price
        distance: list[int | None] = [None] * len(worth)
        done = [False] * len(worth)
        waiting = [(0, source)]
        distance[source] = 0
        while waiting:
            far, node = heappop(waiting)
            if done[node]:
                continue
            done[node] = True
            if node == sink:
                break
            base = far + worth[node]
            for arc in self.leaving[node]:
                if room[arc]:
                    to = head[arc]
                    way = base + price[arc] - worth[to]
                    known = distance[to]
                    if known is None or way < known:
                        distance[to] = way
                        heappush(waiting, (way, to))
        if done[sink]:
            for node, known in enumerate(distance):
                worth[node] += known if known is not None and done[node] else far
        return done

    def _push(self, source: int, sink: int, worth: list[int]) -> int:
        """A blocking flow along the shortest of the paths that cost nothing more."""
        head, room = self.head, self.room
        open_arcs = self._layers(source, sink, worth)
        if open_arcs is None:
            return 0
        flow, node, path = 0, source, list[int]()
        while True:
            if node == sink:
                amount = min(room[arc] for arc in path)
                flow += amount
                for arc in path:
                    room[arc] -= amount
                    room[arc ^ 1] += amount
                full = next(step for step, arc in enumerate(path) if not room[arc])
                node = head[path[full] ^ 1]
                del path[full:]
            choices = open_arcs[node]
            while choices and not room[choices[-1]]:
                choices.pop()
            if choices:
                path.append(choices[-1])
                node = head[choices[-1]]
            elif node == source:
                return flow
            else:
                node = head[path.pop() ^ 1]
                open_arcs[node].pop()

    def _layers(self, source: int, sink: int, worth: list[int]) -> list[list[int]] | None:
        """Of each node the arcs that lead one step further and cost nothing more; none if the sink is not reached."""
        head, room, price = self.head, self.room, self.price
        depth = [-1] * len(worth)
        depth[source] = 0
        open_arcs: list[list[int]] = [[] for _ in worth]
        layer = [source]
        while layer and depth[sink] < 0:
            further = []
            for node in layer:
                value, next_depth, choices = worth[node], depth[node] + 1, open_arcs[node]
                for arc in self.leaving[node]:
                    to = head[arc]
                    if room[arc] and depth[to] in (-1, next_depth) and price[arc] + value == worth[to]:
                        if depth[to] < 0:
                            depth[to] = next_depth
                            further.append(to)
                        choices.append(arc)
                choices.reverse()
            layer = further
        return open_arcs if depth[sink] >= 0 else None
