-- One row per source.
select
    source,
    sum(files) as files,
    sum(records) as records,
    sum(understood) as understood,
    sum(not_understood) as not_understood,
    sum(ignored) as ignored,
    sum(rejected) as rejected,
    sum(holes) as holes,
    min(first_at) as first_at,
    max(last_at) as last_at
from gold.coverage
where cluster = :cluster and day = :day
group by source
order by source
