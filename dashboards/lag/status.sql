-- One row per group.
select
    group_id,
    sum(minutes_by_status['stop']) as minutes_stop,
    sum(minutes_by_status['stall']) as minutes_stall,
    sum(minutes_by_status['rewind']) as minutes_rewind,
    sum(minutes_by_status['warn']) as minutes_warn,
    sum(minutes_by_status['ok']) as minutes_ok
from gold.lag_health
where cluster = :cluster and day between :since and :day
group by group_id
order by minutes_stop desc nulls last, minutes_stall desc nulls last, minutes_warn desc nulls last, group_id
