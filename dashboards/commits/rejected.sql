-- One row per partition and day with commits that a rule rejected.
select group_id, topic, partition_id, day, commits_rejected, commits, last_committed_offset
from gold.commit_health
where cluster = :cluster and day between :since and :day and commits_rejected > 0
order by commits_rejected desc, group_id, topic, partition_id
