"""What contradicts the rest of a delivery: logs in another time zone, files in the folder of another partition."""

from collections.abc import Iterator

from spark_jobs.settings import Settings
from spark_jobs.silver.inputs.day_inputs import DayInputs

_MOST_FILES = 5


def contradiction_sentences(inputs: DayInputs, settings: Settings) -> Iterator[str]:
    for clock in inputs.wrong_clocks:
        logs = f"The logs of {clock.origin}" if clock.origin else "The logs"
        yield (
            f"{logs} in cluster {clock.cluster} are {clock.difference} the group records of __consumer_offsets, because their "
            f"times have no zone and are not in {settings.cluster(clock.cluster).timezone}: rebalances and sessions leave them "
            f'out until clusters.{clock.cluster}.timezone is set in lagoon.toml, such as "Europe/Berlin"; then run lagoon run.'
        )
    for file in inputs.misplaced[:_MOST_FILES]:
        right = " and ".join(map(str, file.right[:3])) + (" and others" if len(file.right) > 3 else "")
        yield (
            f"{file.source_file} lies in the folder of partition {file.folder}, and its groups belong to partition {right} of "
            f"{file.offsets_partitions}: its records are rejected. Move it into a folder "
            f"__consumer_offsets-{file.right[0]}; if the number of partitions is wrong, set "
            f"clusters.{file.cluster}.offsets_partitions."
        )
    if len(inputs.misplaced) > _MOST_FILES:
        yield f"{len(inputs.misplaced) - _MOST_FILES} more files lie in the folder of another partition."
