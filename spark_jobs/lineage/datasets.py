"""The names by which OpenLineage knows folders and tables, and what is sent about them."""

from openlineage.client.event_v2 import InputDataset, OutputDataset
from openlineage.client.facet_v2 import (
    DatasetFacet,
    OutputDatasetFacet,
    column_lineage_dataset,
    output_statistics_output_dataset,
    schema_dataset,
    symlinks_dataset,
)

from spark_jobs.lake.location import absolute_uri
from spark_jobs.lineage.written_tables import LandingFolder, WrittenTable


def input_dataset(lake: str, source: str | LandingFolder) -> InputDataset:
    if isinstance(source, LandingFolder):
        return InputDataset(*_name_of_folder(source.uri))
    return InputDataset(*_name_of_table(lake, source), facets={"symlinks": _symlinks(lake, source)})


def output_dataset(lake: str, table: WrittenTable) -> OutputDataset:
    facets: dict[str, DatasetFacet] = {
        "symlinks": _symlinks(lake, table.name),
        "schema": schema_dataset.SchemaDatasetFacet(
            fields=[
                schema_dataset.SchemaDatasetFacetFields(
                    name=column.name, type=column.type, description=column.description
                )
                for column in table.columns
            ]
        ),
    }
    if table.origins:
        facets["columnLineage"] = column_lineage_dataset.ColumnLineageDatasetFacet(
            fields={
                name: column_lineage_dataset.Fields(
                    [
                        column_lineage_dataset.InputField(*_name_of_table(lake, source), column)
                        for source, column in sorted(origins)
                    ]
                )
                for name, origins in table.origins.items()
            }
        )
    counted: dict[str, OutputDatasetFacet] = {}
    if table.rows is not None:
        counted["outputStatistics"] = output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet(
            rowCount=table.rows
        )
    return OutputDataset(*_name_of_table(lake, table.name), counted, facets=facets)


def _name_of_folder(uri: str) -> tuple[str, str]:
    """Namespace and name: `("file", "/data/landing/group_logs")`, `("s3://bucket", "landing/group_logs")`."""
    scheme, separator, rest = absolute_uri(uri).partition("://")
    if not separator or scheme == "file":
        return "file", absolute_uri(uri).removeprefix("file://").removeprefix("file:")
    bucket, _, path = rest.partition("/")
    return f"{scheme.replace('s3a', 's3')}://{bucket}", path


def _name_of_table(lake: str, table: str) -> tuple[str, str]:
    return _name_of_folder(f"{lake.rstrip('/')}/{table.replace('.', '/')}")


def _symlinks(lake: str, table: str) -> symlinks_dataset.SymlinksDatasetFacet:
    """The table's name in SQL, beside the folder that it is known by."""
    identifier = symlinks_dataset.Identifier(":".join(_name_of_folder(lake)), table, "TABLE")
    return symlinks_dataset.SymlinksDatasetFacet(identifiers=[identifier])
