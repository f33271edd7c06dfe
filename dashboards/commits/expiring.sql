-- One row per position that expires.
select group_id, topic, partition_id, last_committed_offset, last_committed_at, expires_at
from gold.commit_health
where cluster = :cluster and day = :day and expires_at is not null
order by expires_at, group_id, topic, partition_id
