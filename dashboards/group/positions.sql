-- One row per commit.
select committed_at, concat(topic, '-', partition_id) as partition, committed_offset
from gold.commit_gaps
where cluster = :cluster and day = :day and group_id = :group_id
order by committed_at, record_offset
