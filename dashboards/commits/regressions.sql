-- One row per commit below the one before.
select
    group_id,
    topic,
    partition_id,
    committed_at,
    previous_offset,
    committed_offset,
    previous_offset - committed_offset as distance_back,
    cause,
    redelivered,
    owner_client_id,
    record_offset
from gold.commit_gaps
where cluster = :cluster and day between :since and :day and kind = 'regression'
order by redelivered desc nulls last, committed_at, group_id
