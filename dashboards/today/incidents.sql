-- One row per incident of the day.
select started_at, ended_at, kind, subject, groups, rebalances, evidence
from gold.incidents
where cluster = :cluster and day = :day
order by started_at, kind, subject
