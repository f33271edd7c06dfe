-- One row per finding of the day.
select
    severity,
    title,
    group_id,
    kind,
    subject,
    evidence,
    cost,
    recommendation,
    expected_effect,
    first_seen_day,
    days_seen
from gold.findings
where cluster = :cluster and day = :day
order by rank
