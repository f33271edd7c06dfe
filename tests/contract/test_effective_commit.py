"""Silver and gold mean the same by an effective commit: a constant in Python, a macro in dbt."""

from pathlib import Path

from jinja2 import Environment

from spark_jobs.silver.inputs.effective_commits import EFFECTIVE

MACRO = Path(__file__).parents[2] / "dbt_project" / "macros" / "is_effective_commit.sql"


def test_the_macro_of_dbt_and_the_constant_of_silver_are_the_same_predicate() -> None:
    rendered = (
        Environment(autoescape=False).from_string(MACRO.read_text("utf-8") + "{{ is_effective_commit() }}").render()
    )
    assert rendered.strip() == EFFECTIVE
