"""Writes docs/rules.md from the rules: `make rules-docs`."""

from pathlib import Path

from spark_jobs.rules.rules_page import rules_page

if __name__ == "__main__":
    page = Path(__file__).parents[1] / "docs" / "rules.md"
    page.write_text(rules_page(), "utf-8")
    print(page)
