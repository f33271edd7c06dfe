"""
### Lagoon, once a UTC day

`bronze → silver → gold → report` for the day of delivery that has just ended. Every task is a command: copy it from the
task's *Rendered Templates* and run it in the project's folder.

**When.** `CronDataIntervalTimetable("0 0 * * *", UTC)`: a run's data interval is one UTC day D, `00:00` to `00:00`, and
the run starts when D is over. D is the *day of delivery*, so it holds all it will ever hold, save files still being
copied: those have grown when the next run looks, and are read again then. A run takes D **and every earlier delivery or
late file that the lake does not hold yet**. So nothing is caught up (`catchup=False`): after three days of standstill
one run takes all three.

**One writer.** `max_active_runs=1`, and the layers stand in a row: one process at a time writes a lake. A back-fill has
a limit of its own, so give it `--max-active-runs 1`; a command that finds the lake taken exits with 3 and is tried
again.

**Another day, another lake.** Trigger with parameters (*Trigger*, or `airflow dags trigger telemetry_daily --conf
'{"day": "2026-07-14"}'`). Without `day`, a run triggered by hand takes the day that its data interval shows, and
yesterday if it has none. Doing a day again gives the same tables. `airflow backfill create` takes every day from
`--from-date` to `--to-date`, both included.

| the command exits with | meaning | the task |
| --- | --- | --- |
| 0 | done | succeeds |
| 1 | done, but data was halted or a check failed | fails at once: the same data would be judged the same |
| 2 | wrong call or configuration | fails at once: a person has to change something |
| 3, or killed, or timed out | could not run | tries again twice, after 5 minutes at least and twice that |

**A failed layer does not stop the next one.** A halted cluster must not hold up the others, and every layer takes what
the one before has published, never half of it. `layer_failed` then fails the run, so that red means: look.
Start with the first red task; its log ends in one sentence that says what to do. After mending, clear that task with
everything downstream of it.
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

# A run triggered without a logical date has no data interval: the day before it then.
DAY_BEFORE = "(dag_run.run_after - macros.timedelta(days=1))"
DAY = f"{{{{ (params.day or (data_interval_start | default({DAY_BEFORE}, true)) | ds) | quote }}}}"
PLACES = "".join(
    f"{{% if params.{place} %}} --{place} {{{{ params.{place} | quote }}}}{{% endif %}}"
    for place in ("landing", "lake", "config")
)


class LagoonCommand(BashOperator):
    """A command by the contract of exit codes: after 1 and 2 another try would end the same."""

    def execute(self, context: Context) -> str:
        try:
            return super().execute(context)
        except AirflowException as failure:
            exit_code = self.subprocess_hook.sub_process.returncode
            if exit_code == 1:
                raise AirflowFailException("Done, but not clean: the lines above say what and where.") from failure
            if exit_code == 2:
                raise AirflowFailException(
                    "Wrong call or configuration: mend what the last line above names, then clear this task."
                ) from failure
            raise


def layer(name: str, at_most: timedelta, triage: str, trigger_rule: str = TriggerRule.ALL_DONE) -> LagoonCommand:
    return LagoonCommand(
        task_id=name,
        bash_command=f"{LAGOON} {name} --day {DAY}{PLACES}",
        cwd=str(PROJECT),
        skip_on_exit_code=None,
        execution_timeout=at_most,
        trigger_rule=trigger_rule,
        doc_md=triage,
    )


def place(variable: str, meaning: str) -> Param:
    return Param(os.environ.get(variable), type=["null", "string"], description=f"{meaning}; {variable} if not given")


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
        "day": Param(None, type=["null", "string"], format="date", description="Day of delivery, not the interval's"),
        "landing": place("LAGOON_LANDING", "Where the files are delivered"),
        "lake": place("LAGOON_LAKE", "Where the tables stand"),
        "config": place("LAGOON_CONFIG", "The settings file"),
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
    # All sources in one command: a task each would start Spark three times to write, one after another, one lake.
    bronze = layer(
        "bronze",
        timedelta(hours=3),
        """Reads the files of the day, and late ones of earlier days, into `bronze.*`.

- **exit 1**: a file was not what its folder says, or could not be read to its end. The log names it; the rest was
  taken. Deliver it again (a new content makes it new); nothing has to be removed.
- **exit 2**: the landing or the settings file is not where the command looks, or a setting is wrong: the log names it.
- **exit 3**: no Java, no disk, another run on this lake. `lagoon doctor` says which and how to get it.
- **timed out**: many new files, e.g. a first run over months. Run `lagoon run` by hand once, then clear.
- Only one source: `lagoon bronze --source group_logs --day D` (`offset_dumps`, `lag_metrics`).
""",
        trigger_rule=TriggerRule.ALL_SUCCESS,
    )
    silver = layer(
        "silver",
        timedelta(hours=4),
        """Makes the event days anew that the deliveries tell of, and judges each row (`silver.*`, `quality.*`).

- **exit 1**: a delivery was halted, or rules were broken. Which: `lagoon sql "select rule, table_name, cluster, broken,
  action from quality.rule_results where not passed and day = 'D'"`; the rows: `quality.rejected_rows`. A halted cluster
  keeps the gold it had, the others go on. Every run says so until the delivery is put right, or silver is run for its
  day again.
- **exit 2**: see bronze.
- **exit 3**: see bronze. Killed half-way there is nothing to clean up: a day is published whole or not at all.
""",
    )
    gold = layer(
        "gold",
        timedelta(hours=3),
        """Builds `gold.*` with dbt for the event days that silver changed.

- **exit 1**: a dbt test failed; the log names model and test. Either the definition in `dbt_project/models/gold` or the
  data under it is wrong: look at silver's results first.
- **exit 2**: see bronze.
- **exit 3**: see bronze. A model failed: the log names it and what Spark said of it.
""",
    )
    report = layer(
        "report",
        timedelta(minutes=30),
        """Prints the day's findings into this task's log.

- **exit 1**: the findings stand, but rest on data that was halted or failed a check: silver and gold say which.
- **exit 2** and **exit 3**: see bronze. The tables are complete: only the telling failed.
""",
    )
    layer_failed = LagoonCommand(
        task_id="layer_failed",
        bash_command="echo 'A layer of this run failed: look at the first red task, its notes say what to do.'; exit 1",
        execution_timeout=timedelta(minutes=5),
        trigger_rule=TriggerRule.ONE_FAILED,
        doc_md="""Fails when a layer failed, is skipped when none did: the last layer alone would make a run green.

Nothing to mend here: open the first red task of the run.
""",
    )
    bronze >> silver >> gold >> report
    [bronze, silver, gold, report] >> layer_failed
