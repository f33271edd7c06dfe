"""Reads Spark's plans from Python: the parts of a plan or an expression, and their class names."""

from collections.abc import Iterator
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


def is_instance(part: Any, name: str) -> bool:
    """Whether a Java object is of the class of this name or of a subclass."""
    if not isinstance(part, JavaObject):
        return False
    loader = part.getClass().getClassLoader()
    # Java's own classes have none.
    return loader is not None and bool(loader.loadClass(name).isInstance(part))


def is_container(name: str) -> bool:
    """Whether objects of this class only hold others: sequences, maps, options and tuples of Scala."""
    return name.startswith(("scala.collection.", "scala.Tuple")) or name in ("scala.Some", "scala.None$")


def parts(part: Any, name: str) -> Iterator[Any]:
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
