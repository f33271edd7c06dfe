-- One row per partition and day with commits that failed or that a rule rejected.
select group_id, topic, partition_id, day, commits_failed, commits_rejected, commits, last_committed_offset
from gold.commit_health
where cluster = :cluster and day between :since and :day and (commits_failed > 0 or commits_rejected > 0)
order by coalesce(commits_failed, 0) + coalesce(commits_rejected, 0) desc, group_id, topic, partition_id, day
