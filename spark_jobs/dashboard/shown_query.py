"""The query of a panel as a person can paste it into `lagoon sql`: with values instead of parameters."""

import datetime as dt
import re

from spark_jobs.lake.sql_literals import date_literal, text_literal
from spark_jobs.quick.engine import Parameters

_PARAMETER = re.compile(r":([a-z_]+)")


def shown_query(sql: str, parameters: Parameters) -> str:
    """Only for reading and copying: a panel runs with bound parameters."""
    return _PARAMETER.sub(lambda found: _literal(parameters[found[1]]), sql).strip()


def _literal(value: object) -> str:
    return date_literal(value) if isinstance(value, dt.date) else text_literal(str(value))
