-- One row per partition: the twenty with the widest replay windows.
select concat(group_id, ' on ', topic, '-', partition_id) as partition, max(replay_window_p99) as replay_window_p99
from gold.commit_health
where cluster = :cluster and day between :since and :day and replay_window_p99 > 0
group by group_id, topic, partition_id
order by replay_window_p99 desc, partition
limit 20
