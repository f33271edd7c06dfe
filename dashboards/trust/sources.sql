-- One row per source and origin.
select
    source,
    origin,
    sum(files) as files,
    sum(records) as records,
    sum(understood) as understood,
    sum(not_understood) as not_understood,
    sum(ignored) as ignored,
    sum(rejected) as rejected,
    sum(duplicates) as duplicates,
    min(first_at) as first_at,
    max(last_at) as last_at
from gold.coverage
where cluster = :cluster and day between :since and :day
group by source, origin
order by not_understood desc, source, origin
