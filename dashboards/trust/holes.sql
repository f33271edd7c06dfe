-- One row per source, origin and hour with holes.
select day, hour, source, origin, holes
from gold.coverage
where cluster = :cluster and day between :since and :day and holes > 0
order by holes desc, day, hour, source, origin
