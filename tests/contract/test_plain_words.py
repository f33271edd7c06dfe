"""The code and its documents use the words that engineers of the field use: no private language, and one name per thing."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).parents[2]
_ROOMS = (
    "benchmarks",
    "dags",
    "dashboards",
    "dbt_project",
    "docs",
    "expectations",
    "kafka_telemetry",
    "make",
    "schemas",
    "spark_jobs",
    "tests",
)
_PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "Makefile", "lagoon.example.toml", "docker-compose.yml")
_SUFFIXES = (".py", ".sql", ".yml", ".md", ".toml", ".mk", ".java")

# Words that only this project once used, and what says the same plainly.
_PRIVATE_WORDS = {
    r"told|tells": "contains, reports, rows, parsed",
    r"lawful|unlawful": "valid, rejected",
    r"comes? again|came again|comes? twice|came twice": "is reprocessed",
    r"made_of|made again": "inputs, rebuilt",
    r"in_turn|shelf|unplaced_ones|comings": "what it really is",
    r"wordings?": "message template",
    r"complaints?": "UserError",
    r"rows? lies?|delivery lies": "invalid",
}
# Names of a rule, an event and a column, which are stored.
_PUBLIC = re.compile(
    r"delivery_is_mostly_lawful|\b(?:told_at|told_on|members_told)\b|assignment_unlawful|\btells\b(?=[\"':,\]]| or \(\))"
)
_THIS_FILE = Path(__file__).relative_to(PROJECT)


def files() -> list[Path]:
    found = [file for room in _ROOMS for file in (PROJECT / room).rglob("*") if file.suffix in _SUFFIXES]
    generated = {"recorded", "target", "__pycache__"}
    own = [file for file in found if not generated & set(file.relative_to(PROJECT).parts)]
    return sorted([*own, *(PROJECT / page for page in _PAGES)])


def test_no_word_of_a_private_language_is_left() -> None:
    texts = {file.relative_to(PROJECT): file.read_text("utf-8") for file in files()}
    assert len(texts) > 300
    found = [
        f"{file}:{number}: {match[0]!r}, better {better}"
        for file, text in texts.items()
        if file != _THIS_FILE
        for number, line in enumerate(text.splitlines(), 1)
        for words, better in _PRIVATE_WORDS.items()
        for match in re.finditer(rf"(?<![a-zA-Z])(?:{words})(?![a-zA-Z])", _PUBLIC.sub("", line), re.IGNORECASE)
    ]
    assert found == []


def modules() -> Iterator[tuple[str, ast.Module]]:
    for room in ("expectations", "kafka_telemetry", "schemas", "spark_jobs"):
        for file in sorted((PROJECT / room).rglob("*.py")):
            yield str(file.relative_to(PROJECT)), ast.parse(file.read_text("utf-8"))


def test_no_two_modules_have_one_name() -> None:
    by_name = defaultdict(list)
    for path, _ in modules():
        if not path.endswith("__init__.py"):
            by_name[Path(path).stem].append(path)
    assert len(by_name) > 150
    assert {name: paths for name, paths in by_name.items() if len(paths) > 1} == {}


def test_no_two_classes_have_one_name() -> None:
    by_name = defaultdict(list)
    for path, module in modules():
        for node in ast.walk(module):
            if isinstance(node, ast.ClassDef):
                by_name[node.name.lstrip("_")].append(path)
    assert len(by_name) > 80
    assert {name: paths for name, paths in by_name.items() if len(paths) > 1} == {}


# Modules that are tables of data: record schemas, message templates.
_TABLES_OF_DATA = ("record_schema.py", "_templates.py", "sql/functions.py")


def test_no_module_is_longer_than_300_lines_and_no_model_than_200() -> None:
    sizes = {file.relative_to(PROJECT): len(file.read_text("utf-8").splitlines()) for file in files()}
    most = {".py": 300, ".sql": 200}
    rooms = ("dbt_project", "expectations", "kafka_telemetry", "schemas", "spark_jobs")
    too_long = {
        str(file): size
        for file, size in sizes.items()
        if file.parts[0] in rooms and size > most.get(file.suffix, size) and not file.name.endswith(_TABLES_OF_DATA)
    }
    assert too_long == {}


def test_no_type_error_is_ignored() -> None:
    found = [
        f"{path}:{number}"
        for path, _ in modules()
        for number, line in enumerate((PROJECT / path).read_text("utf-8").splitlines(), 1)
        if "type: ignore" in line
    ]
    assert found == []
