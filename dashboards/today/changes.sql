-- One row per group with another score than the day before.
with today as (select group_id, score, findings from gold.group_health where cluster = :cluster and day = :day),
before as (
    select group_id, score, findings from gold.group_health where cluster = :cluster and day = date_sub(:day, 1)
)
select
    t.group_id,
    t.score,
    b.score as score_before,
    t.findings,
    b.findings as findings_before,
    if(b.group_id is null, 'new', 'changed') as change
from today as t
left join before as b on t.group_id = b.group_id
where exists (select 1 from before) and (b.group_id is null or abs(t.score - b.score) > 1)
order by t.score - coalesce(b.score, 100e0), t.group_id
