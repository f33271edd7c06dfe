"""Great Expectations' Data Docs: what the rules found on one cluster's day, as a site of its own in `<day>/cluster=<name>/`.
What came in is judged later than the rows, and has a site beside it.

A day that is built again replaces its site; the others stay. So the time that it takes does not grow with history.
"""

import datetime as dt
import html
import shutil
import tempfile
import urllib.parse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from expectations.offline_pages import make_offline
from expectations.rule import Rule, RuleResult

SEVERITY = {"halt": "critical", "reject": "critical", "warn": "warning"}

_ARRIVALS = "arrivals-"

# Where rows that break a rule come from, a few of them, by cluster, day, table and rule.
Samples = Mapping[tuple[str, dt.date, str, str], Sequence[str]]


def write_data_docs(folder: Path, results: Iterable[RuleResult], samples: Samples) -> None:
    sites: dict[tuple[dt.date, str, str], dict[tuple[str, str], RuleResult]] = {}
    for result in results:
        # A day that was built twice, because a delivery was halted in between, has the results of the last time.
        prefix = _ARRIVALS if result.table == "gold.arrivals" else ""
        sites.setdefault((result.day, result.cluster, prefix), {})[result.table, result.rule.name] = result
    for (day, cluster, prefix), of_site in sorted(sites.items()):
        # A name of a cluster may contain what a path must not.
        target = folder / str(day) / f"{prefix}cluster={urllib.parse.quote(cluster, safe=' ')}"
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".") as unfinished:
            _write_site(Path(unfinished) / "site", day, cluster, list(of_site.values()), samples)
            if target.exists():
                shutil.rmtree(target)
            (Path(unfinished) / "site").replace(target)
    if sites:
        write_index(folder)


def expectation(rule: Rule, column: str) -> Any:
    """A rule as an expectation on its column of verdicts."""
    import great_expectations

    gx: Any = great_expectations
    return gx.expectations.ExpectColumnValuesToNotBeInSet(
        column=column,
        value_set=[True],
        severity=SEVERITY[rule.action],
        notes=f"{rule.because} ({rule.source}). {rule.remedy}.",
        meta={"rule": rule.name, "broken_when": rule.sql, "fingerprint": rule.fingerprint},
    )


def _write_site(folder: Path, day: dt.date, cluster: str, results: Sequence[RuleResult], samples: Samples) -> None:
    import great_expectations
    from great_expectations.core import ExpectationSuiteValidationResult, ExpectationValidationResult, RunIdentifier
    from great_expectations.data_context.types.resource_identifiers import (
        ExpectationSuiteIdentifier,
        ValidationResultIdentifier,
    )

    gx: Any = great_expectations
    context = gx.get_context(mode="ephemeral")
    # The name is a part of paths: the cluster, which may contain anything, must not be in it.
    run = RunIdentifier(run_name=str(day), run_time=dt.datetime(day.year, day.month, day.day, tzinfo=dt.UTC))
    for table in dict.fromkeys(result.table for result in results):
        of_table = [result for result in results if result.table == table]
        suite = context.suites.add(
            gx.ExpectationSuite(
                name=table, expectations=[expectation(result.rule, result.rule.name) for result in of_table]
            )
        )
        validated = [
            ExpectationValidationResult(
                success=result.broken == 0,
                expectation_config=expected.configuration,
                result=_counts(result, samples.get((cluster, day, table, result.rule.name), ())),
            )
            for result, expected in zip(of_table, suite.expectations, strict=True)
        ]
        successful = sum(result.broken == 0 for result in of_table)
        suite_key = ExpectationSuiteIdentifier(name=table)
        context.validation_results_store.store_validation_results(
            suite_validation_result=ExpectationSuiteValidationResult(
                success=successful == len(of_table),
                results=validated,
                suite_name=table,
                statistics={
                    "evaluated_expectations": len(of_table),
                    "successful_expectations": successful,
                    "unsuccessful_expectations": len(of_table) - successful,
                    "success_percent": 100 * successful / len(of_table),
                },
                meta={
                    "run_id": run,
                    "active_batch_definition": {"data_asset_name": f"{table} of {_harmless(cluster)}"},
                },
            ),
            suite_validation_result_identifier=ValidationResultIdentifier(suite_key, run, "rows"),
            expectation_suite_identifier=suite_key,
        )
    context.add_data_docs_site(
        site_name="lake",
        site_config={
            "class_name": "SiteBuilder",
            "show_how_to_buttons": False,
            "store_backend": {"class_name": "TupleFilesystemStoreBackend", "base_directory": str(folder)},
            "site_index_builder": {"class_name": "DefaultSiteIndexBuilder"},
        },
    )
    context.build_data_docs(site_names=["lake"])
    make_offline(folder)
    # The site's own index is filled by a script.
    (folder / "index.html").write_text(_site_index(folder, f"{day} {cluster}", results), "utf-8")


def _counts(result: RuleResult, sample: Sequence[str]) -> dict[str, object]:
    """As Great Expectations counts; rows that the rule can't judge are not among them."""
    return {
        "element_count": result.checked,
        "unexpected_count": result.broken,
        "unexpected_percent": 100 * result.broken / result.checked if result.checked else 0.0,
        "partial_unexpected_list": [_harmless(text) for text in sample],
    }


def _harmless(text: str) -> str:
    """Names of files and clusters as text of a page: Great Expectations neither escapes them nor doubles the $ of templates."""
    return html.escape(text).replace("$", "&#36;")


def write_index(folder: Path) -> None:
    """Writes the page with a link to each day and cluster."""
    sites = ((site.parent.name, site.name) for site in folder.glob("*/*cluster=*") if site.is_dir())
    (folder / "index.html").write_text(index_page(sites), "utf-8")


def _title(name: str) -> str:
    prefix, cluster = name.split("cluster=", 1)
    return urllib.parse.unquote(cluster) + (": what arrived" if prefix else "")


def index_page(sites: Iterable[tuple[str, str]]) -> str:
    """`sites` are the names of their folders: a day, and in it `cluster=<name>`."""
    links = [(f"{day}/{name}/index.html", f"{day} {_title(name)}") for day, name in sorted(sites, reverse=True)]
    return _page_of_links("Data quality by day", links)


def _site_index(folder: Path, title: str, results: Sequence[RuleResult]) -> str:
    """A page with a link to each table."""
    links = []
    for table in dict.fromkeys(result.table for result in results):
        [page] = folder.glob(f"validations/{table.replace('.', '/')}/*/*/rows.html")
        of_table = [result for result in results if result.table == table]
        broken = [result.rule.name for result in of_table if result.broken]
        found = f"broken: {', '.join(broken)}" if broken else "no rule is broken"
        links.append((page.relative_to(folder).as_posix(), f"{table}: {len(of_table)} rules, {found}"))
    return _page_of_links(title, links)


def _page_of_links(title: str, links: Iterable[tuple[str, str]]) -> str:
    items = [f'<li><a href="{urllib.parse.quote(address)}">{html.escape(text)}</a></li>' for address, text in links]
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title></head>'
        f"<body><h1>{html.escape(title)}</h1><ul>{''.join(items)}</ul></body></html>\n"
    )
