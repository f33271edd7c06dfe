-- One row per hour and reason.
select date_trunc('hour', started_at) as hour, reason, count(*) as rebalances
from gold.rebalances
where cluster = :cluster and day between :since and :day
group by date_trunc('hour', started_at), reason
order by hour, reason
