-- one row per client that logged its settings, and day: the settings that findings are about
with

logged_settings as (
    select
        cluster,
        day,
        group_id,
        coalesce(client_id, '') as client_id,
        max_by(settings, started_at) as settings,
        bool_and(coalesce(lower(settings['enable.auto.commit']) = 'true', false)) as is_auto_commit
    from {{ source("silver", "client_configs") }}
    where
        {{ is_selected_day() }}
        and group_id is not null
    group by all
)

select
    cluster,
    day,
    group_id,
    client_id,
    try_cast(settings['heartbeat.interval.ms'] as bigint) as heartbeat_ms,
    try_cast(settings['session.timeout.ms'] as bigint) as session_ms,
    try_cast(settings['max.poll.interval.ms'] as bigint) as poll_ms,
    settings['max.poll.records'] as poll_records,
    -- Commits do not show which consumer of the group made them, so all must commit automatically.
    if(
        bool_and(is_auto_commit) over (partition by cluster, day, group_id),
        try_cast(settings['auto.commit.interval.ms'] as bigint), null
    ) as auto_commit_ms,
    try_cast(settings['max.partition.fetch.bytes'] as bigint) as fetch_bytes,
    coalesce(settings['group.instance.id'], 'null') as instance_id,
    settings['partition.assignment.strategy'] as assignors,
    -- Members of the consumer protocol (KIP-848) get the heartbeat interval and the assignor from the broker.
    coalesce(lower(settings['group.protocol']), 'classic') = 'classic' as is_classic
from logged_settings
