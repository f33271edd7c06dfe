-- One row per start of reading.
select
    started_at,
    topic,
    partition_id,
    cause,
    ended_by,
    from_client_id,
    to_client_id,
    unread_ms,
    unread_evidence,
    committed_before,
    start_offset,
    reprocessed_at_least,
    reprocessed_at_most,
    skipped
from gold.read_starts
where cluster = :cluster and day = :day and group_id = :group_id
order by started_at, topic, partition_id
