-- One row per day and broken rule, from the newest run of each day.
with newest as (
    select
        *,
        row_number() over (partition by day, rule, table_name order by run_id desc) as turn
    from quality.rule_results
    where cluster = :cluster and day between :since and :day
)
select day, rule, sum(broken) as broken
from newest
where turn = 1 and broken > 0
group by day, rule
order by day, rule
