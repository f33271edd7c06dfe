-- One row per rule and table, from the newest run of each day.
with newest as (
    select
        *,
        row_number() over (partition by day, rule, table_name order by run_id desc) as turn
    from quality.rule_results
    where cluster = :cluster and day between :since and :day
)
select rule, table_name, action, sum(checked) as checked, sum(broken) as broken, count_if(not passed) as days_not_passed
from newest
where turn = 1
group by rule, table_name, action
order by days_not_passed desc, broken desc, table_name, rule
