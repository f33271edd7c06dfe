-- One row per group: its last generation of the day.
with numbered as (
    select
        *,
        row_number() over (partition by group_id order by incarnation desc, generation desc) as turn
    from gold.assignor_balance
    where cluster = :cluster and day = :day
)
select group_id, assignor, members, idle_members, partitions, fewest, most, spread, spread_possible, cv, rate_cv, generation
from numbered
where turn = 1
order by spread - spread_possible desc, idle_members desc, group_id
