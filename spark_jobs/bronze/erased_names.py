"""What was erased from the lake and is delivered again: named in a path, the file is left out; in a file, the run warns."""

from collections.abc import Iterable, Sequence

from spark_jobs.bronze.ingest import Delivery
from spark_jobs.lake.erasures import Erasure, erased_again, erased_in_delivery
from spark_jobs.lake.tables import Lake
from spark_jobs.landing import LandedFile


def without_erased_paths(
    files: Iterable[LandedFile], erasures: Sequence[Erasure]
) -> tuple[list[LandedFile], list[LandedFile]]:
    """The files whose paths name nothing that was erased, and the others."""
    kept: list[LandedFile] = []
    left_out: list[LandedFile] = []
    for file in files:
        below_date = file.path.split("/", 3)[-1]
        (left_out if erasures and erased_again(erasures, [below_date]) else kept).append(file)
    return kept, left_out


def erased_names_warning(lake: Lake, erasures: Sequence[Erasure], delivery: Delivery) -> str | None:
    """A sentence if the delivery, as bronze has it now, contains something that was erased."""
    again = erased_in_delivery(lake, erasures, delivery.declaration.table, delivery.where) if erasures else []
    if not again:
        return None
    what = ", ".join(sorted({f"a {each.kind.replace('_', ' ')} that was erased on {each.day}" for each in again}))
    return (
        f"{delivery.source} that {delivery.cluster} delivered on {delivery.delivered_on} has {what}. "
        "Remove it from these files, then run `lagoon erase` for it once more."
    )
