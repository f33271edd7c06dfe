"""Commits use a class that is internal to Delta Lake, so they check that it is the one they were written for."""

import pytest

from spark_jobs.errors import UserError
from spark_jobs.lake.delta_commits import optional_parameters
from spark_jobs.spark import jars

SAVE_MODE, OPTION = "org.apache.spark.sql.SaveMode", "scala.Option"


def test_a_version_with_more_optional_parameters_works() -> None:
    assert optional_parameters([SAVE_MODE, *[OPTION] * 8]) == 8
    assert optional_parameters([SAVE_MODE, *[OPTION] * 11]) == 11


@pytest.mark.parametrize(
    "parameters", [[], [SAVE_MODE, OPTION], ["java.lang.String", *[OPTION] * 8], [SAVE_MODE, *[OPTION] * 8, "boolean"]]
)
def test_a_version_with_other_parameters_is_refused_in_a_sentence_that_names_the_right_one(
    parameters: list[str],
) -> None:
    [delta] = [coordinates for coordinates in jars.pinned_versions() if coordinates.startswith("io.delta:delta-spark")]
    with pytest.raises(UserError) as error:
        optional_parameters(parameters)
    assert str(error.value) == (
        f"Lagoon can't commit with this version of Delta Lake. Use {delta}, as in spark_jobs/spark/jars.txt."
    )
