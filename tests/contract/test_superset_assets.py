"""The dashboard for Superset reads columns that exist, and its parts fit together. Superset itself is started by
tests/end_to_end/test_superset_dashboard.py."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from support.declared_tables import declared_tables
from support.superset_assets import FOLDER, Asset, placed_charts, read_assets, uuid_of

from spark_jobs.quick.translate import Statement, translate

EXPOSURES = Path(__file__).parents[2] / "dbt_project" / "models" / "exposures.yml"
TABLES: Any = declared_tables()
DATABASES, DATASETS, CHARTS, DASHBOARDS = map(read_assets, ("databases", "datasets", "charts", "dashboards"))
DATASET_OF = {dataset.uuid: dataset for dataset in DATASETS}


def query_of(dataset: Asset) -> str:
    """Of a dataset without a query: that of its whole table."""
    document = dataset.document
    return str(document.get("sql") or f"select * from {document['schema']}.{document['table_name']}")


def answer_of(query: str) -> Statement:
    return translate(query, TABLES, {})


def columns_of(dataset: Asset) -> set[str]:
    return {column["column_name"] for column in dataset.document["columns"]}


def metrics_of(dataset: Asset) -> set[str]:
    return {metric["metric_name"] for metric in dataset.document["metrics"]}


def named_columns(params: dict[str, Any]) -> set[str]:
    """Columns that a chart shows, groups or filters by."""
    x_axis = [params["x_axis"]] if "x_axis" in params else []
    simple = [each["subject"] for each in params["adhoc_filters"] if each["expressionType"] == "SIMPLE"]
    ordered = [yaml.safe_load(each)[0] for each in params.get("order_by_cols", ())]
    return {*x_axis, *params.get("groupby", ()), *params.get("all_columns", ()), *simple, *ordered}


def named_metrics(params: dict[str, Any]) -> set[str]:
    single = {params[name] for name in ("metric", "timeseries_limit_metric") if name in params}
    return {*params.get("metrics", ()), *single}


def test_every_file_is_an_asset_with_the_uuid_of_its_path() -> None:
    assets = [*DATABASES, *DATASETS, *CHARTS, *DASHBOARDS]
    assert [len(DATABASES), len(DASHBOARDS)] == [1, 1]
    assert len(CHARTS) >= 8
    assert {asset.name: asset.uuid for asset in assets} == {asset.name: uuid_of(asset.name) for asset in assets}
    assert {path.stem for path in FOLDER.rglob("*.*")} == {asset.name.split("/")[1] for asset in assets} | {"metadata"}
    assert {dataset.document["database_uuid"] for dataset in DATASETS} == {DATABASES[0].uuid}
    assert {chart.document["dataset_uuid"] for chart in CHARTS} == set(DATASET_OF)


@pytest.mark.parametrize("dataset", DATASETS, ids=lambda dataset: dataset.name)
def test_the_columns_of_a_dataset_are_declared_for_its_tables(dataset: Asset) -> None:
    declared = {name: str(of).upper() for name, of in answer_of(query_of(dataset)).columns}
    columns = dataset.document["columns"]
    found = {column["column_name"]: column["type"] for column in columns}
    assert found == {name: declared.get(name) for name in found}
    assert {column["column_name"] for column in columns if column.get("is_dttm")} == {
        name for name, of in found.items() if of in ("DATE", "TIMESTAMP")
    }
    assert {"cluster", dataset.document["main_dttm_col"]} <= set(found)


@pytest.mark.parametrize("dataset", DATASETS, ids=lambda dataset: dataset.name)
def test_the_metrics_of_a_dataset_can_be_computed(dataset: Asset) -> None:
    metrics = [f"{metric['expression']} as {metric['metric_name']}" for metric in dataset.document["metrics"]]
    assert metrics
    assert answer_of(f"select {', '.join(metrics)} from ({query_of(dataset)}) as dataset").columns


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.name)
def test_a_chart_names_columns_and_metrics_of_its_dataset(chart: Asset) -> None:
    params, dataset = chart.document["params"], DATASET_OF[chart.document["dataset_uuid"]]
    assert params["viz_type"] == chart.document["viz_type"]
    assert chart.document["slice_name"]
    assert len(chart.document["description"]) > 20
    assert named_columns(params) <= columns_of(dataset)
    assert named_metrics(params) <= metrics_of(dataset)
    having = [each["sqlExpression"] for each in params["adhoc_filters"] if each["expressionType"] == "SQL"]
    for condition in having:
        assert answer_of(f"select {condition} as is_shown from ({query_of(dataset)}) as dataset").columns


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.name)
def test_a_chart_follows_the_chosen_days_and_shows_names_as_text(chart: Asset) -> None:
    params = chart.document["params"]
    by_day = [each["subject"] for each in params["adhoc_filters"] if each.get("operator") == "TEMPORAL_RANGE"]
    assert by_day == [DATASET_OF[chart.document["dataset_uuid"]].document["main_dttm_col"]] == ["day"]
    assert params["viz_type"] != "table" or params["allow_render_html"] is False


def test_every_chart_is_on_the_dashboard_once() -> None:
    placed = placed_charts(DASHBOARDS[0])
    assert sorted(each["uuid"] for each in placed) == sorted(chart.uuid for chart in CHARTS)
    assert len({each["chartId"] for each in placed}) == len(placed)


def test_the_parts_of_the_dashboard_fit_into_each_other() -> None:
    position = DASHBOARDS[0].document["position"]
    parts = {name: part for name, part in position.items() if isinstance(part, dict)}
    assert {name: part["id"] for name, part in parts.items()} == {name: name for name in parts}
    inside = [child for part in parts.values() for child in part.get("children", ())]
    assert sorted(inside) == sorted(set(parts) - {"ROOT_ID", "HEADER_ID"})
    for name, part in parts.items():
        children = [parts[child] for child in part.get("children", ())]
        assert {tuple(child["parents"]) for child in children} <= {(*part.get("parents", ()), name)}
        if part["type"] == "ROW":
            assert sum(child["meta"]["width"] for child in children) == 12


def test_a_filter_leaves_out_the_charts_that_do_not_have_its_column() -> None:
    filters = DASHBOARDS[0].document["metadata"]["native_filter_configuration"]
    assert [each["name"] for each in filters] == ["Cluster", "Days", "Group"]
    dataset_of_chart = {chart.uuid: DATASET_OF[chart.document["dataset_uuid"]] for chart in CHARTS}
    for each in filters:
        [target] = each["targets"]
        column = target["column"]["name"] if target else "day"
        if target:
            assert column in columns_of(DATASET_OF[target["datasetUuid"]])
        lacking = {
            chart["chartId"]
            for chart in placed_charts(DASHBOARDS[0])
            if column not in columns_of(dataset_of_chart[chart["uuid"]])
        }
        assert set(each["scope"]["excluded"]) == lacking


def test_dbt_knows_which_tables_the_dashboard_reads() -> None:
    exposures = {each["name"]: each for each in yaml.safe_load(EXPOSURES.read_text("utf-8"))["exposures"]}
    read = {table for dataset in DATASETS for table in answer_of(query_of(dataset)).tables}
    layer_and_name = sorted(table.split(".") for table in read)
    assert sorted(exposures["superset"]["depends_on"]) == sorted(
        f"ref('{name}')" if layer == "gold" else f"source('{layer}', '{name}')" for layer, name in layer_and_name
    )
