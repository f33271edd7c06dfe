-- One row per source and hour.
select hour, source, sum(records) as records
from gold.coverage
where cluster = :cluster and day = :day and hour is not null
group by hour, source
order by source, hour
