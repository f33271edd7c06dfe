-- one row per group, client, setting and day: a setting that should be changed
with

client_findings as (
    select * from {{ ref("client_findings") }}
),

balances as (
    select
        cluster,
        day,
        group_id,
        max_by(struct(members, idle_members, partitions), struct(incarnation, generation)) as last_generation
    from {{ ref("assignor_balance") }}
    where {{ is_selected_day() }}
    group by all
),

-- The number of members is a setting too: of the deployment.
member_findings as (
    select
        cluster,
        day,
        group_id,
        '' as client_id,
        'members' as setting,
        string(last_generation.members) as value,
        concat('Run at most ', {{ quantity("last_generation.partitions", "member") }}, ', or add partitions') as advice,
        concat(
            {{ quantity("last_generation.members", "member") }}, ' share ',
            {{ quantity("last_generation.partitions", "partition") }}, ': ', last_generation.idle_members,
            if(last_generation.idle_members = 1, ' has', ' have'), ' nothing to read'
        ) as because,
        'members_do_not_outnumber_partitions' as rule,
        'info' as severity
    from balances
    where
        last_generation.members > last_generation.partitions
        and last_generation.idle_members > 0
),

findings as (
    select * from client_findings
    union all
    select * from member_findings
)

select
    cluster,
    day,
    group_id,
    client_id,
    setting,
    value,
    advice,
    because,
    rule,
    severity
from findings
