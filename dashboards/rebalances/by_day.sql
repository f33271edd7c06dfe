-- One row per day and reason.
select day, reason, count(*) as rebalances
from gold.rebalances
where cluster = :cluster and day between :since and :day
group by day, reason
order by day, reason
