"""Reads Spark's plans from Python: the parts of a plan or an expression, and their class names."""

from collections.abc import Callable, Iterator
from typing import Any

from py4j.java_gateway import JavaObject

_WORDS = {
    "CompoundBody": "scripts",
    "ExpressionWithUnresolvedIdentifier": "identifier()",
    "PlanWithUnresolvedIdentifier": "identifier()",
    "UnresolvedPathBasedDeltaTable": "on paths",
    "UnresolvedPathBasedTable": "on paths",
}


def class_name(part: Any) -> str:
    """The name of a Java object's class. Empty for what Python holds itself: text, numbers, null."""
    return str(part.getClass().getName()) if isinstance(part, JavaObject) else ""


def is_container(name: str) -> bool:
    """Whether objects of this class only hold others: sequences, maps, options and tuples of Scala."""
    return name.startswith(("scala.collection.", "scala.Tuple")) or name in ("scala.Some", "scala.None$")


def walk(root: Any, visit: Callable[[Any, str], bool]) -> None:
    """Calls `visit` with the root, with every part below it, and with the name of its class. It returns whether to go on
    below that part. Not recursive, since a long sum is a deep tree."""
    waiting = [root]
    while waiting:
        part = waiting.pop()
        name = class_name(part)
        if is_container(name) or (name and visit(part, name)):
            waiting.extend(reversed(list(_parts(part, name))))


def _parts(part: Any, name: str) -> Iterator[Any]:
    """What a container holds, or all fields of a plan or an expression of this class. `children` would leave out plans in
    expressions, and what a plan keeps aside until it is analysed."""
    is_sequence = is_container(name) and not name.startswith("scala.Tuple")
    iterator = part.iterator() if is_sequence else part.productIterator()
    while iterator.hasNext():
        yield iterator.next()


def elements(sequence: Any) -> Iterator[Any]:
    iterator = sequence.iterator()
    while iterator.hasNext():
        yield iterator.next()


def texts(sequence: Any) -> list[str]:
    """A Scala sequence of texts, such as the parts of a table's name."""
    return [str(text) for text in elements(sequence)]


def in_words(name: str) -> str:
    """What a class of Spark is about: `insert into` for `InsertIntoStatement`."""
    short = name.rpartition(".")[2].partition("$")[0]
    if short in _WORDS:
        return _WORDS[short]
    for noise in ("Unresolved", "Command", "Statement"):
        short = short.replace(noise, "")
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in short).strip()
