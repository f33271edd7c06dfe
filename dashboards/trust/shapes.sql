-- One row per shape.
select source, unread.shape as shape, sum(unread.lines) as lines
from gold.coverage
lateral view explode(unknown_shapes) exploded as unread
where cluster = :cluster and day between :since and :day
group by source, unread.shape
order by lines desc, shape
limit 200
