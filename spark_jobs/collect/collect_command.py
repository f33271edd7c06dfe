"""`lagoon collect`: its options."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spark_jobs.command_options import Config, Landing
from spark_jobs.errors import UsageError

if TYPE_CHECKING:
    from spark_jobs.collect.collection import CollectedCluster
    from spark_jobs.settings import Settings

_ADDRESSES = re.compile(r"\s*(?:[A-Za-z][A-Za-z0-9_]*://)?[^\s,:/]+:\d{1,5}|\s*\[[0-9a-fA-F:]+\]:\d{1,5}")


def collect(
    cluster: Annotated[
        str, typer.Option(help="Its name in landing and in the settings, [clusters.NAME].", metavar="NAME")
    ],
    bootstrap_server: Annotated[
        str | None,
        typer.Option(
            help="Brokers to connect to; clusters.NAME.bootstrap_servers if not named.", metavar="HOST:PORT,…"
        ),
    ] = None,
    kafka_config: Annotated[
        str | None,
        typer.Option(
            help="A client.properties file of Kafka's tools; clusters.NAME.kafka_config if not named.", metavar="FILE"
        ),
    ] = None,
    every: Annotated[
        int | None, typer.Option(help="Go on until stopped, with so many seconds between.", min=1, metavar="SECONDS")
    ] = None,
    landing: Landing = None,
    config: Config = None,
) -> None:
    """Read a live cluster into landing: new records of __consumer_offsets, groups, log starts and ends."""
    from spark_jobs.collect.collection import collect_cluster
    from spark_jobs.failure_causes import as_user_errors
    from spark_jobs.progress import Progress
    from spark_jobs.settings import load

    settings = load(file=config, landing=landing)
    chosen = _chosen_cluster(settings, cluster, bootstrap_server, kafka_config)
    with as_user_errors(settings):
        if not collect_cluster(settings, chosen, Progress(), every):
            raise typer.Exit(1)


def _chosen_cluster(
    settings: "Settings", name: str, bootstrap: str | None, kafka_config: str | None
) -> "CollectedCluster":
    from spark_jobs.collect.client_properties import ClientProperties, read_properties
    from spark_jobs.collect.collection import CollectedCluster
    from spark_jobs.lake.location import is_possible_cluster

    if not name.isprintable() or "/" in name or not name.strip(". ") or not is_possible_cluster(name):
        raise UsageError(f"{name!r} can't be the name of a folder in landing", "Choose another --cluster")
    known = settings.cluster(name)
    file = kafka_config or known.kafka_config
    properties = read_properties(Path(file)) if file else ClientProperties()
    addresses = bootstrap or known.bootstrap_servers or properties.bootstrap_servers
    if not addresses:
        raise UsageError(
            f"nothing says where the brokers of {name} are",
            f"Name them with --bootstrap-server or clusters.{name}.bootstrap_servers",
        )
    wrong = [each for each in addresses.split(",") if not _ADDRESSES.fullmatch(each.rstrip())]
    if wrong:
        raise UsageError(f"{wrong[0]!r} is no address of a broker", "Write addresses as host:port,host:port")
    return CollectedCluster(name, addresses, properties)
