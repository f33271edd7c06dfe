"""What is printed goes through one function, and names that become SQL through another."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).parents[2]
# The function that prints lines for people; the rows of `lagoon sql`; the last error, the version, a report for programs.
_PRINTING = {
    "printing.py": {"print_line", "print_command"},
    "sql/output.py": {"_print_table", "_print_for_terminal", "_print_blocks", "_print_lines", "_print_json"},
    "cli.py": {"_print_error", "_print_stack"},
    "command_options.py": {"print_version"},
    "report/print_report.py": {"write_report"},
}
_WRITES = re.compile(r"^(print|(sys\.)?(stdout|stderr)\.write|rich\.print|traceback\.print_\w+)$")


def calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    """Each call and the function that it stands in."""
    for node in ast.parse(path.read_text("utf-8")).body:
        bodies = node.body if isinstance(node, ast.ClassDef) else [node]
        for outer in bodies:
            name = outer.name if isinstance(outer, ast.FunctionDef) else ""
            yield from ((name, call) for call in ast.walk(outer) if isinstance(call, ast.Call))


def is_printing(call: ast.Call) -> bool:
    """An empty line is no text."""
    called = ast.unparse(call.func)
    prints = bool(_WRITES.match(called)) or (called.endswith(("console.print", "output.print", "Console().print")))
    return prints and bool(call.args)


def test_only_one_function_prints_lines_for_people() -> None:
    files = sorted((PROJECT / "spark_jobs").rglob("*.py"))
    assert len(files) > 80
    found = {
        (str(file.relative_to(PROJECT / "spark_jobs")), function)
        for file in files
        for function, call in calls(file)
        if is_printing(call)
    }
    allowed = {(file, function) for file, functions in _PRINTING.items() for function in functions}
    assert found - allowed == set()
    assert allowed - found == set(), "it prints nothing any more"


def test_no_module_writes_a_quote_around_a_value_in_sql() -> None:
    """`where cluster = '{cluster}'` breaks with a name like o'brien: spark_jobs/lake/sql_literals.py writes literals."""
    # The names of Burrow's statuses are those of the model.
    quoted = re.compile(r"=\s*'\{(?!\{ status)|\bin\s*\('\{|location\s+'\{", re.IGNORECASE)
    python = [*(PROJECT / "spark_jobs").rglob("*.py"), *(PROJECT / "expectations").rglob("*.py")]
    sql = sorted((PROJECT / "dbt_project").rglob("*.sql"))
    assert len(sql) > 30
    found = [file for file in [*python, *sql] if quoted.search(file.read_text("utf-8"))]
    assert found == []
