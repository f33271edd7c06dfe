-- One row per cluster and day, the newest day first.
select cluster, day
from gold.group_health
group by cluster, day
order by day desc, cluster
