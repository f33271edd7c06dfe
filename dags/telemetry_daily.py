"""
### Lagoon, once a UTC day

`bronze → silver → gold → report` for the day of delivery that has just ended. Every task is a command: copy it from the
task's *Rendered Templates* and run it in the project's folder.

**Schedule.** `CronDataIntervalTimetable("0 0 * * *", UTC)`: the data interval of a run is one UTC day D, `00:00` to
`00:00`, and the run starts when D is over. D is the *day of delivery*, so by then it is complete, except for files that are
still being copied: they have grown when the next run looks, and are parsed again then. A run ingests D **and every earlier
delivery or late file that the lake does not hold yet**, so there is nothing to catch up (`catchup=False`): after three days
without a run, one run ingests all three.

**One writer.** `max_active_runs=1`, and the layers run one after another: one process at a time writes a lake. A backfill
has a limit of its own, so start it with `--max-active-runs 1`. A command that finds the lake locked exits with 3 and is
retried.

**Another day or lake.** Trigger with parameters (*Trigger*, or `airflow dags trigger telemetry_daily --conf
'{"day": "2026-07-14"}'`). Without `day`, a manually triggered run processes the day of its data interval, or yesterday if
it has none. Processing a day again builds the same tables. `airflow backfill create` processes every day from
`--from-date` to `--to-date`, both included.

| exit code of the command | meaning | the task |
| --- | --- | --- |
| 0 | done | succeeds |
| 1 | done, but data was halted or a check failed | fails at once: the same data would fail again |
| 2 | wrong call or settings | fails at once: a person has to change something |
| 3, or killed, or timed out | could not run | retries twice, after about 5 and 10 minutes |

**A failed layer does not stop the next one.** A halted cluster must not delay the others, and each layer uses what the
layer before has published as a whole. `layer_failed` then fails the run, so that it is shown as failed. Start with the first
failed task: its log ends in one sentence that says what to do. After the fix, clear that task with everything downstream
of it.
"""

import os
import shlex
from datetime import UTC, datetime, timedelta
from pathlib import Path

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG, Context, CronDataIntervalTimetable, Param, TriggerRule
from airflow.sdk.exceptions import AirflowException, AirflowFailException

PROJECT = Path(__file__).resolve().parent.parent
LAGOON = os.environ.get("LAGOON_COMMAND") or shlex.quote(str(PROJECT / ".venv" / "bin" / "lagoon"))

# A run that was triggered without a logical date has no data interval: it processes the day before.
DAY_BEFORE = "(dag_run.run_after - macros.timedelta(days=1))"
DAY = f"{{{{ (params.day or (data_interval_start | default({DAY_BEFORE}, true)) | ds) | quote }}}}"
OPTIONS = "".join(
    f"{{% if params.{option} %}} --{option} {{{{ params.{option} | quote }}}}{{% endif %}}"
    for option in ("landing", "lake", "config")
)


class LagoonCommand(BashOperator):
    """Runs a command and does not retry after exit codes 1 and 2, since another try would fail too."""

    def execute(self, context: Context) -> str:
        try:
            return super().execute(context)
        except AirflowException as failure:
            exit_code = self.subprocess_hook.sub_process.returncode
            if exit_code == 1:
                raise AirflowFailException(
                    "Done, but data was halted or a check failed: the lines above name it."
                ) from failure
            if exit_code == 2:
                raise AirflowFailException(
                    "Wrong call or settings: correct what the last line above names, then clear this task."
                ) from failure
            raise


def layer(name: str, time_limit: timedelta, notes: str, trigger_rule: str = TriggerRule.ALL_DONE) -> LagoonCommand:
    return LagoonCommand(
        task_id=name,
        bash_command=f"{LAGOON} {name} --day {DAY}{OPTIONS}",
        cwd=str(PROJECT),
        skip_on_exit_code=None,
        execution_timeout=time_limit,
        trigger_rule=trigger_rule,
        doc_md=notes,
    )


def uri_param(variable: str, meaning: str) -> Param:
    return Param(os.environ.get(variable), type=["null", "string"], description=f"{meaning}; default: {variable}")


with DAG(
    dag_id="telemetry_daily",
    description="Consumer telemetry of one day of delivery: landing → bronze → silver → gold → report",
    doc_md=__doc__,
    schedule=CronDataIntervalTimetable("0 0 * * *", timezone="UTC"),
    start_date=datetime(2020, 1, 1, tzinfo=UTC),
    catchup=False,
    max_active_runs=1,
    tags=["lagoon", "kafka", "daily"],
    params={
        "day": Param(
            None,
            type=["null", "string"],
            format="date",
            description="Day of delivery, instead of that of the data interval",
        ),
        "landing": uri_param("LAGOON_LANDING", "Folder or URI where telemetry is delivered"),
        "lake": uri_param("LAGOON_LAKE", "Folder or URI of the tables"),
        "config": uri_param("LAGOON_CONFIG", "Settings file"),
    },
    default_args={
        "owner": "data-platform",
        "retries": 2,
        "retry_delay": timedelta(minutes=5),
        "retry_exponential_backoff": 2,
        "max_retry_delay": timedelta(hours=1),
    },
    user_defined_filters={"quote": shlex.quote},
):
    # All sources in one command: a task for each would start Spark three times, to write one lake one after another.
    bronze = layer(
        "bronze",
        timedelta(hours=3),
        """Parses the files of the day, and late files of earlier days, into `bronze.*`.

- **exit 1**: a file was rejected or could be parsed only in part. The log names it; all other files were ingested.
  Correct the file and deliver it again: it is known by its content, so nothing has to be removed.
- **exit 2**: the settings file was not found, or a setting is wrong: the log names it.
- **exit 3**: no landing folder, no Java, no disk space, or another run on this lake. `lagoon doctor` reports which, and
  what to do.
- **timed out**: many new files, for example a first run over months. Run `lagoon run` by hand once, then clear the task.
- Only one source: `lagoon bronze --source group_logs --day D` (`offset_dumps`, `lag_metrics`).
""",
        trigger_rule=TriggerRule.ALL_SUCCESS,
    )
    silver = layer(
        "silver",
        timedelta(hours=4),
        """Rebuilds the event days that the deliveries have rows of, and validates each row (`silver.*`, `quality.*`).

- **exit 1**: a delivery was halted. The rules that it breaks: `lagoon sql "select rule, table_name, cluster, broken,
  action from quality.rule_results where not passed and day = 'D'"`; the rows: `quality.rejected_rows`. A halted cluster
  keeps its gold as it was, and all others are built. Each run reports it until the delivery is corrected, or silver is
  run again for its day.
- **exit 2**: see bronze.
- **exit 3**: see bronze. After a kill there is nothing to clean up: a day is published as a whole or not at all.
""",
    )
    gold = layer(
        "gold",
        timedelta(hours=3),
        """Builds `gold.*` with dbt for the event days that silver changed.

- **exit 1**: a dbt test failed; the log names it. Either the model in `dbt_project/models/gold` or its input is wrong:
  look at the results of silver first.
- **exit 2**: see bronze.
- **exit 3**: see bronze. If a model failed, the log contains its name and Spark's error.
""",
    )
    report = layer(
        "report",
        timedelta(minutes=30),
        """Prints the day's findings into this task's log.

- **exit 1**: the findings leave out data that was halted: silver's log names it.
- **exit 2** and **exit 3**: see bronze. The tables are complete: only the report failed.
""",
    )
    layer_failed = LagoonCommand(
        task_id="layer_failed",
        bash_command="echo 'A layer of this run failed: look at the first failed task, its notes say what to do.'; exit 1",
        execution_timeout=timedelta(minutes=5),
        trigger_rule=TriggerRule.ONE_FAILED,
        doc_md="""Fails if a layer failed, else it is skipped. Without it a run would succeed if only its last layer does.

Nothing to do here: open the first failed task of the run.
""",
    )
    bronze >> silver >> gold >> report
    [bronze, silver, gold, report] >> layer_failed
