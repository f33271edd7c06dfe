"""What the DAGs of Lagoon share: tasks that are commands, for one day of delivery, one at a time.

Environment variables of the process that parses the DAGs decide what the commands are called with:

| variable | meaning |
| --- | --- |
| `LAGOON_COMMAND` | the command, such as one in a container; default: `.venv/bin/lagoon` of the project |
| `LAGOON_LANDING`, `LAGOON_LAKE`, `LAGOON_CONFIG` | defaults of the parameters of a run |
| `LAGOON_FIRST_DAY`, `LAGOON_LAST_DAY` | days of delivery for which the daily DAG makes a run each, also if they are long over |
| `LAGOON_POOL` | the Airflow pool of the tasks that write the lake; give it one slot |
| `LAGOON_RETRY_MINUTES` | how long to wait before the first retry; default: 5 |
| `LAGOON_LATE_AFTER_HOURS` | when a run that is not over sends an alert; default: 6; 0: never |
| `LAGOON_DASHBOARD_URL` | where `lagoon dashboard` is served, for links from a task to the pages and the report of its day |
"""

import os
import shlex
import subprocess
from datetime import timedelta
from pathlib import Path
from typing import Any

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import BaseOperatorLink, Context, DeadlineAlert, DeadlineReference, Param, SyncCallback, TriggerRule
from airflow.sdk.exceptions import AirflowException, AirflowFailException

PROJECT = Path(__file__).resolve().parent.parent
LAGOON = os.environ.get("LAGOON_COMMAND") or shlex.quote(str(PROJECT / ".venv" / "bin" / "lagoon"))
POOL = os.environ.get("LAGOON_POOL", "default_pool")
DASHBOARD = os.environ.get("LAGOON_DASHBOARD_URL", "").rstrip("/")

# A run that was triggered without a logical date has no data interval: it processes the day before.
_DAY_BEFORE = "(dag_run.run_after - macros.timedelta(days=1))"
DAY_OF_RUN = f"(params.day or (data_interval_start | default({_DAY_BEFORE}, true)) | ds)"
OPTIONS = "".join(
    f"{{% if params.{option} %}} --{option} {{{{ params.{option} | quote }}}}{{% endif %}}"
    for option in ("landing", "lake", "config")
)
FILTERS = {"quote": shlex.quote}
# The task as the OpenLineage provider names it, if it is installed and has a server.
LINEAGE_PARENT = (
    "{% set lineage = macros.OpenLineageProviderPlugin | default({}) %}"
    "{{ lineage.lineage_parent_id(task_instance) if lineage.lineage_parent_id is defined else '' }}"
)


def params() -> dict[str, Param]:
    return {
        "day": Param(
            None,
            type=["null", "string"],
            format="date",
            description="Day of delivery, instead of that of the data interval",
        ),
        "landing": _uri_param("LAGOON_LANDING", "Folder or URI where telemetry is delivered"),
        "lake": _uri_param("LAGOON_LAKE", "Folder or URI of the tables"),
        "config": _uri_param("LAGOON_CONFIG", "Settings file"),
    }


def default_args() -> dict[str, Any]:
    return {
        "owner": "data-platform",
        "retries": 2,
        "retry_delay": timedelta(minutes=float(os.environ.get("LAGOON_RETRY_MINUTES", "5"))),
        "retry_exponential_backoff": 2,
        "max_retry_delay": timedelta(hours=1),
    }


class DashboardLink(BaseOperatorLink):
    name = "Dashboards of this day"
    path = "/?day={day}"

    def get_link(self, operator: Any, *, ti_key: Any) -> str:  # noqa: ARG002
        return DASHBOARD + self.path.format(day=operator.day)


class ReportLink(DashboardLink):
    name = "Report of this day"
    path = "/reports?day={day}"


class DataDocsLink(DashboardLink):
    name = "What every rule found"
    path = "/data_docs/"


class DataHaltedError(AirflowFailException):
    """A command exited with 1."""


class LagoonCommand(BashOperator):
    """Runs a command and does not retry after exit codes 1 and 2, since another try would fail too."""

    template_fields = (*BashOperator.template_fields, "day")
    operator_extra_links = (DashboardLink(), ReportLink(), DataDocsLink()) if DASHBOARD else ()

    def __init__(self, *, day: str = f"{{{{ {DAY_OF_RUN} }}}}", **options: Any) -> None:
        super().__init__(
            skip_on_exit_code=None,
            cwd=str(PROJECT),
            env={"OPENLINEAGE_PARENT_ID": LINEAGE_PARENT},
            append_env=True,
            **options,
        )
        self.day = day

    def execute(self, context: Context) -> str:
        try:
            return super().execute(context)
        except AirflowException as failure:
            exit_code = self.subprocess_hook.sub_process.returncode
            if exit_code == 1:
                raise DataHaltedError(
                    "Done, but data was halted or a check failed: the lines above name it."
                ) from failure
            if exit_code == 2:
                raise AirflowFailException(
                    "Wrong call or settings: correct what the last line above names, then clear this task."
                ) from failure
            raise


def layer(name: str, time_limit: timedelta, notes: str, **options: Any) -> LagoonCommand:
    """A task that runs `lagoon NAME` for the day of the run, also if a layer before it failed."""
    return LagoonCommand(
        task_id=name,
        bash_command=f"{LAGOON} {name} --day {{{{ {DAY_OF_RUN} | quote }}}}{OPTIONS}",
        execution_timeout=time_limit,
        doc_md=notes,
        pool=POOL,
        **{"trigger_rule": TriggerRule.ALL_DONE, "on_failure_callback": alert_of_failure, **options},
    )


def alert_of_failure(context: Context) -> None:
    """Sends the alert that a task could not run. What was halted is sent by the task `alert`, with the findings."""
    if not isinstance(context.get("exception"), DataHaltedError):
        chosen = context["params"]
        _alert(f"--failed={context['ti'].task_id}", lake=chosen.get("lake"), config=chosen.get("config"))


def alert_of_late_run(context: dict[str, Any], **options: str) -> None:
    """Sends the alert that a run is not over in time, also if none of its tasks has started.

    Airflow calls it for a run that has failed, too: that one has sent its alerts. The runs of a backfill wait for each other.
    """
    run = context["dag_run"]
    if run["state"] in ("queued", "running") and run["run_type"] != "backfill":
        _alert(f"--late={run['dag_id']}", **options)


def late_run() -> DeadlineAlert | None:
    hours = float(os.environ.get("LAGOON_LATE_AFTER_HOURS", "6"))
    if not hours:
        return None
    options = {name: os.environ.get(f"LAGOON_{name.upper()}") for name in ("lake", "config")}
    return DeadlineAlert(
        reference=DeadlineReference.DAGRUN_QUEUED_AT,
        interval=timedelta(hours=hours),
        callback=SyncCallback(alert_of_late_run, kwargs={name: value for name, value in options.items() if value}),
    )


def _alert(event: str, **options: str | None) -> None:
    command = ["alert", event, *(f"--{name}={value}" for name, value in options.items() if value)]
    subprocess.run(["bash", "-c", f"{LAGOON} {shlex.join(command)}"], cwd=PROJECT, timeout=300, check=False)


def _uri_param(variable: str, meaning: str) -> Param:
    return Param(os.environ.get(variable), type=["null", "string"], description=f"{meaning}; default: {variable}")
