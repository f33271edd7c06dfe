"""A wrong call of `lagoon collect` ends before anything is asked."""

from pathlib import Path

import pytest

from spark_jobs.cli import app
from spark_jobs.errors import UsageError


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--cluster", "eu"], "nothing says where the brokers of eu are. Name them with --bootstrap-server"),
        (["--cluster", "eu", "--bootstrap-server", "one:9092,two"], "'two' is no address of a broker"),
        (["--cluster", "eu", "--bootstrap-server", ":9092"], "':9092' is no address of a broker"),
        (["--cluster", "../eu", "--bootstrap-server", "one:9092"], "'../eu' can't be the name of a folder"),
        (["--cluster", "..", "--bootstrap-server", "one:9092"], "'..' can't be the name of a folder"),
        (["--cluster", "a\nb", "--bootstrap-server", "one:9092"], "can't be the name of a folder"),
        (["--cluster", "eu", "--kafka-config", "no.properties"], "no.properties can't be read"),
    ],
)
def test_a_wrong_call_is_refused(options: list[str], problem: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as raised:
        app(["collect", "--landing", str(tmp_path), *options], standalone_mode=False)
    assert problem in str(raised.value)
    assert list(tmp_path.iterdir()) == []
