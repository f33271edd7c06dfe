-- One row per finding of the group.
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
where cluster = :cluster and day = :day and group_id = :group_id
order by rank
