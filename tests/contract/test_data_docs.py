"""The Data Docs of each cluster's day are a site of their own, and earlier days stay."""

import datetime as dt
import re
import urllib.parse
from pathlib import Path

import pytest

from expectations import gate
from expectations.data_docs import write_data_docs
from expectations.rule import RuleResult
from expectations.rules import RULES

DAY = dt.date(2026, 1, 2)
RULE = next(rule for rule in RULES if rule.name == "commit_moves_forward")


def result(day: dt.date, broken: int, cluster: str = "eu") -> RuleResult:
    return RuleResult(cluster, day, RULE.table, RULE, checked=9, broken=broken)


def pages(folder: Path) -> dict[str, str]:
    """The text of each page with results, by its day and cluster."""
    return {
        str(page.relative_to(folder).parent.parents[-3]): page.read_text("utf-8")
        for page in folder.glob("*/cluster=*/validations/**/*.html")
    }


def test_a_day_has_its_counts_and_the_places_of_broken_rows_and_others_stay_when_it_is_built_again(
    tmp_path: Path,
) -> None:
    samples = {("eu", DAY, RULE.table, RULE.name): ["segments/<b>$0.log, position 17"]}
    write_data_docs(tmp_path, [result(DAY, 2)], samples)
    write_data_docs(tmp_path, [result(DAY + dt.timedelta(1), 0), result(DAY, 1, "../<us>")], {})
    found = pages(tmp_path)
    assert found.keys() == {"2026-01-02/cluster=eu", "2026-01-02/cluster=..%2F%3Cus%3E", "2026-01-03/cluster=eu"}
    broken = found["2026-01-02/cluster=eu"]
    assert "position 17" in broken
    assert "<b>" not in broken
    assert RULE.name in broken
    index = (tmp_path / "index.html").read_text("utf-8")
    assert index.count("<li>") == 3
    assert "../&lt;us&gt;</a>" in index

    write_data_docs(tmp_path, [result(DAY, 0)], {})
    assert pages(tmp_path).keys() == found.keys()
    assert "position 17" not in pages(tmp_path)["2026-01-02/cluster=eu"]


def test_pages_need_no_script_and_load_nothing(tmp_path: Path) -> None:
    write_data_docs(tmp_path, [result(DAY, 2)], {})
    written = [page.read_text("utf-8") for page in tmp_path.rglob("*.html")]
    assert len(written) > 3
    for text in written:
        assert "//" not in text.replace("<!-- ", "")
        assert "<script" not in text
        assert " onclick" not in text
        assert "<link" not in text
    assert {path.suffix for path in tmp_path.rglob("*") if path.is_file()} == {".html"}


def test_links_between_pages_lead_to_pages(tmp_path: Path) -> None:
    write_data_docs(tmp_path, [result(DAY, 2, "a b")], {})
    pages_with_links = [
        (page, re.findall(r'href="([^"#]+)[^"]*"', page.read_text("utf-8"))) for page in tmp_path.rglob("*.html")
    ]
    assert sum(len(links) for _, links in pages_with_links) > 5
    for page, links in pages_with_links:
        for link in links:
            assert (page.parent / urllib.parse.unquote(link)).is_file(), (page, link)


def test_nothing_is_logged_while_pages_are_written_once_dbt_has_given_the_root_logger_a_handler(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    validator = gate.Validator(str(tmp_path))
    validator.write_docs([result(DAY, 1)], {})
    assert pages(tmp_path)
    assert [record.name for record in caplog.records if record.name.startswith("great_expectations")] == []
