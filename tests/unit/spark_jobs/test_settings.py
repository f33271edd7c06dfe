from pathlib import Path

import pytest

from kafka_telemetry.formats.lag.metric_names import MetricMeaning, MetricNames
from spark_jobs.errors import UsageError
from spark_jobs.settings import SETTINGS, load


def written(tmp_path: Path, text: str) -> str:
    file = tmp_path / "lagoon.toml"
    file.write_text(text)
    return str(file)


def test_without_a_file_every_setting_has_its_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    settings = load(environment={})
    assert {setting.name: settings.values[setting.name] for setting in SETTINGS} == {
        setting.name: setting.default for setting in SETTINGS
    }


def test_the_command_line_overrides_the_environment_which_overrides_the_file(tmp_path: Path) -> None:
    file = written(tmp_path, '[lagoon]\nlake = "from-file"\nlanding = "from-file"\n[gold]\nthreads = 2')
    settings = load(file=file, lake="from-call", environment={"LAGOON_LAKE": "env", "LAGOON_LANDING": "env"})
    assert (settings.lake, settings.landing, settings.integer("gold.threads")) == ("from-call", "env", 2)


def test_a_relative_path_in_the_file_is_relative_to_the_folder_of_the_file(tmp_path: Path) -> None:
    assert load(file=written(tmp_path, '[lagoon]\nlake = "lake"'), environment={}).lake == str(tmp_path / "lake")
    assert load(file=written(tmp_path, '[lagoon]\nlake = "s3a://b/lake"'), environment={}).lake == "s3a://b/lake"


def test_the_login_of_a_cluster_is_relative_to_the_folder_of_the_file_too(tmp_path: Path) -> None:
    file = written(tmp_path, '[clusters.eu]\nbootstrap_servers = "one:9092"\nkafka_config = "client.properties"')
    cluster = load(file=file, environment={}).cluster("eu")
    assert (cluster.bootstrap_servers, cluster.kafka_config) == ("one:9092", str(tmp_path / "client.properties"))
    for wrong in ("bootstrap_servers = 9092", 'kafka_config = ""'):
        with pytest.raises(UsageError, match=f"clusters.eu.{wrong.partition(' ')[0]} in"):
            load(file=written(tmp_path, f"[clusters.eu]\n{wrong}"), environment={})


def test_settings_of_a_cluster_apply_to_that_cluster_only(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        '[clusters.payments-eu]\ntimezone = "Europe/Berlin"\noffsets_partitions = 50\nexpected_sources = ["offset_dumps"]',
    )
    cluster = load(file=file, environment={}).cluster("payments-eu")
    assert (cluster.timezone, cluster.offsets_partitions, cluster.expected_sources) == (
        "Europe/Berlin",
        50,
        ("offset_dumps",),
    )
    assert load(file=file, environment={}).cluster("other").timezone == "UTC"


def test_log_patterns_and_metric_names_are_added_to_the_built_in_ones(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        """
        [logs.patterns]
        batch = '^(?P<time>[^|]*)\\|(?P<logger>[^|]*)\\|'
        [metrics.names]
        acme_lag = {quantity = "reported_lag", lag_meaning = "clamped", reporter = "acme"}
        acme_end = {quantity = "log_end_offset"}
        [metrics.labels]
        group = ["app", "application"]
        """,
    )
    settings = load(file=file, environment={})
    assert settings.log_patterns == {"batch": r"^(?P<time>[^|]*)\|(?P<logger>[^|]*)\|"}
    assert settings.metric_names == MetricNames(
        metrics={
            "acme_lag": MetricMeaning("acme", "group_offset", "reported_lag", "clamped"),
            "acme_end": MetricMeaning("site", "log_offset", "log_end_offset"),
        },
        labels={"group": ("app", "application")},
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[lagoon]\nlandign = 'x'", "sets lagoon.landign, which does not exist. Did you mean lagoon.landing."),
        ("[lagon]\n", "sets lagon, which does not exist. Did you mean lagoon."),
        ("lagoon = 3", "lagoon in {file} is not a table. Write it as [lagoon]."),
        ("[gold]\nthreads = 'many'", "gold.threads in {file} is 'many'. Give a whole number above 0"),
        ("[gold]\nthreads = 0", "gold.threads in {file} is 0. Give a whole number above 0"),
        ("[gold]\nthreads = true", "gold.threads in {file} is True"),
        ("[gold]\nstatus_allowed_lag = -1", "gold.status_allowed_lag in {file} is -1. Give a whole number from 0"),
        ("[gate]\nmax_rejected_share = 2", "gate.max_rejected_share in {file} is 2. Give a number between 0 and 1"),
        (
            "[gate.actions]\ncommit_moves_forward = 'drop'",
            "gate.actions.commit_moves_forward in {file} is 'drop'. Use one of warn, reject, halt.",
        ),
        (
            "[clusters.a]\ntimezone = 'Berlin'",
            "clusters.a.timezone in {file} is 'Berlin'. Give a name such as Europe/Berlin.",
        ),
        ("[clusters.a]\ntimezone = ['UTC']", "clusters.a.timezone in {file} is ['UTC']. Give a name such as"),
        ("[logs]\nzone = 'UTC'", "sets logs.zone, which does not exist"),
        ("[logs]\npatterns = ['x']", "logs.patterns in {file} is not a table. Write it as [logs.patterns]."),
        ("[logs.patterns]\nours = 3", "logs.patterns.ours in {file} is not a pattern of a log line: it is not a text."),
        (
            "[logs.patterns]\nours = 'x'",
            "logs.patterns.ours in {file} is not a pattern of a log line: it does not begin",
        ),
        ("[logs.patterns]\nours = '^(x'", "not a pattern of a log line: Invalid regular expression: missing )"),
        ("[logs.patterns]\nours = '^x'", "its groups are not some of (?P<time>…), (?P<level>…)"),
        ("[logs.patterns]\nours = '^(x)(?P<time>y)'", "Regular expression contains unnamed groups"),
        ("[logs.patterns]\nours = '^(?P<clock>x)'", "its groups are not some of (?P<time>…)"),
        ("[logs.patterns]\nours = '^(?P<time>x)(?P<time>y)'", "each at most once"),
        ("[metrics.names]\nlag = 'reported_lag'", "metrics.names.lag in {file} is not a table. Write it as"),
        ("[metrics.names.lag]\n", "metrics.names.lag.quantity in {file} is None. Use one of committed_offset,"),
        ("[metrics.names.lag]\nquantity = 'lag'", "metrics.names.lag.quantity in {file} is 'lag'. Use one of"),
        ("[metrics.names.lag]\nquantitty = 'lag'", "sets metrics.names.lag.quantitty, which does not exist. Did you"),
        (
            "[metrics.names.lag]\nquantity = 'reported_lag'\nlag_meaning = 'odd'",
            "metrics.names.lag.lag_meaning in {file} is 'odd'. Use one of signed, clamped, unsigned, position.",
        ),
        (
            "[metrics.names.lag]\nquantity = 'reported_lag'\nreporter = 3",
            "metrics.names.lag.reporter in {file} is 3. Give the name of the tool",
        ),
        ("[metrics.labels]\ngrupo = ['g']", "sets metrics.labels.grupo, which does not exist. Did you mean metrics."),
        ("[metrics.labels]\ngroup = 'g'", "metrics.labels.group in {file} is 'g'. Give a list of labels"),
        ("[clusters.a]\noffsets_partitions = -1", "clusters.a.offsets_partitions in {file} is -1"),
        ("[clusters.a]\nexpected_sources = ['logs']", "clusters.a.expected_sources in {file} is ['logs']"),
        ("[clusters.a]\nzone = 'x'", "sets clusters.a.zone, which does not exist"),
        (
            "[gate.actions]\nno_hour_is_missing = 'halt'",
            "gate.actions.no_hour_is_missing in {file} is 'halt', and it judges tables that are built already. Leave it out: "
            "the rule can only warn.",
        ),
        ("[gate.actions]\nno_such_rule = 'warn'", "{file} sets gate.actions.no_such_rule, which does not exist"),
        ("[lagoon]\nlinks = 'maybe'", "lagoon.links in {file} is 'maybe'. Give skip or follow"),
        ("not toml", "{file} is not TOML"),
    ],
)
def test_a_wrong_setting_is_named_in_the_error(tmp_path: Path, text: str, message: str) -> None:
    file = written(tmp_path, text)
    with pytest.raises(UsageError) as error:
        load(file=file, environment={})
    assert message.format(file=file) in str(error.value)
    assert error.value.exit_code == 2


def test_a_file_named_in_the_call_must_exist(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        load(file=str(tmp_path / "none.toml"), environment={})


def test_a_wrong_environment_variable_is_named_in_the_error() -> None:
    with pytest.raises(UsageError, match="the variable LAGOON_GOLD_THREADS is 'x'"):
        load(environment={"LAGOON_GOLD_THREADS": "x"})


@pytest.mark.parametrize("name", ["LAGOON_LAKE", "LAGOON_LANDING", "LAGOON_SPARK_MASTER"])
def test_an_empty_text_is_no_folder_and_no_master(name: str) -> None:
    """An empty path would be the folder in which the command runs."""
    with pytest.raises(UsageError, match=rf"the variable {name} is ''"):
        load(environment={name: ""})
