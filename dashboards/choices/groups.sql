-- One row per group, the one that needs most attention first.
select group_id, score
from gold.group_health
where cluster = :cluster and day = :day
order by score, group_id
