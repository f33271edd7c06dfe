"""What is printed while dbt builds and tests models: which run now, and a line for each that has ended."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from spark_jobs.gold.dbt_runner import NodeProgress

# Names of running nodes that fit a line.
_MOST_NAMED = 3


@dataclass
class NodeLines:
    """`doing` shows what is running, `report` prints what has ended. dbt's threads call `watch`."""

    noun: str
    doing: Callable[[str], None]
    report: Callable[[str], None] | None = None
    _running: list[str] = field(default_factory=list)
    _ended: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def watch(self, node: NodeProgress) -> None:
        with self._lock:
            if node.seconds is None:
                self._running.append(node.name)
            else:
                self._running = [name for name in self._running if name != node.name]
                self._ended += 1
                if self.report:
                    self.report(f"{node.name}: {node.seconds:.1f} s, {self._ended} of {node.total}")
            self.doing(f"{self._ended} of {node.total} {self.noun} done{self._names()}")

    def _names(self) -> str:
        more = len(self._running) - _MOST_NAMED
        named = ", ".join(self._running[:_MOST_NAMED])
        return f"; now {named}{f' and {more} more' if more > 0 else ''}" if named else ""
