-- one row per group in which reading starts, and day: the settings of its consumers that are known by then
with

read_days as (
    select distinct
        cluster,
        day,
        group_id
    from {{ ref("reading_starts") }}
    where day = known_on
),

-- Consumers print their settings when they start, which may be long ago.
client_settings as (
    select
        read_days.cluster,
        read_days.day,
        read_days.group_id,
        max(try_cast(configs.settings['max.poll.records'] as bigint)) as max_poll_records,
        bool_and(lower(configs.settings['enable.auto.commit']) = 'true') as is_auto_commit
    from read_days
    inner join {{ source("silver", "client_configs") }} as configs
        on
            read_days.cluster = configs.cluster
            and read_days.group_id = configs.group_id
            and {{ is_recently_before("configs.day", "read_days.day") }}
    where {{ is_recent_day("configs.day") }}
    group by all
),

-- Group records contain no session timeout of a member that uses KIP-848: its broker decides.
broker_settings as (
    select
        read_days.cluster,
        read_days.day,
        max_by(
            try_cast(events.details['group.consumer.session.timeout.ms'] as bigint), events.happened_at
        ) as broker_session_timeout_ms
    from read_days
    inner join {{ source("silver", "group_events") }} as events
        on
            read_days.cluster = events.cluster
            and {{ is_recently_before("events.day", "read_days.day") }}
    where
        {{ is_recent_day("events.day") }}
        and events.event = 'broker_configured'
    group by all
)

select
    cluster,
    day,
    group_id,
    client_settings.max_poll_records,
    client_settings.is_auto_commit,
    broker_settings.broker_session_timeout_ms
from read_days
left join client_settings using (cluster, day, group_id)
left join broker_settings using (cluster, day)
