"""Commits rows to a lake one by one, as one of several processes that hold no lock: `concurrent_commits.py LAKE WHO COMMITS`."""

import datetime as dt
import sys

from spark_jobs.lake.catalog import open_to_read
from spark_jobs.lake.rule_results import TABLE
from spark_jobs.settings import load
from spark_jobs.spark import session

if __name__ == "__main__":
    uri, who, commits = sys.argv[1], sys.argv[2], int(sys.argv[3])
    settings = load(lake=uri)
    lake = open_to_read(session.start_spark(settings, small=True), uri, settings.store)
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(commits):
        row = {"run_id": who, "cluster": "c", "day": dt.date(2026, 11, 18), "table_name": "t", "rule": str(number)}
        lake.append(TABLE, [row | {"action": "warn", "checked": 1, "broken": 0, "passed": True}])
    print("done", flush=True)
