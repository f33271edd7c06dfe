-- One row per group whose rebalances moved more than they had to.
select
    group_id,
    assignor,
    count(*) as rebalances,
    sum(partitions_moved) as partitions_moved,
    sum(partitions_moved_minimum) as partitions_moved_minimum,
    sum(partitions_moved - partitions_moved_minimum) as moved_without_need
from gold.rebalances
where cluster = :cluster and day = :day and partitions_moved > partitions_moved_minimum
group by group_id, assignor
order by moved_without_need desc, group_id
