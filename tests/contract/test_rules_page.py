"""docs/rules.md is what the rules say."""

from dataclasses import replace
from pathlib import Path

from expectations.rules import RULES
from spark_jobs.rules.rules_page import rules_page

PAGE = Path(__file__).parents[2] / "docs" / "rules.md"


def test_the_page_of_the_rules_is_current() -> None:
    assert PAGE.read_text("utf-8") == rules_page(), "run `make rules-docs`"


def test_every_rule_says_what_it_is_about_and_what_to_do() -> None:
    assert len(RULES) > 30
    for rule in RULES:
        assert rule.topic
        assert rule.source
        assert rule.because[0].islower()
        assert rule.remedy[0].isupper()
        assert not rule.remedy.endswith(".")


def test_another_predicate_has_another_fingerprint_and_another_explanation_has_not() -> None:
    rule = RULES[0]
    assert replace(rule, because="for another reason", remedy="Do it otherwise").fingerprint == rule.fingerprint
    assert replace(rule, broken_when=f"{rule.broken_when} ").fingerprint == rule.fingerprint
    assert replace(rule, broken_when="committed_offset < 1").fingerprint != rule.fingerprint
