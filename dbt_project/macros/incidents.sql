{#- Whether something that happened is explained by an incident: during it, or while members come back right after it. -#}

{% macro is_within_incident(at, incident) -%}
    {{ at }} between {{ incident }}.started_at and coalesce({{ incident }}.ended_at, {{ incident }}.started_at) + interval 10 seconds
{%- endmacro %}

{% macro coordinator_incidents() -%}
    {#- Incidents that make groups rebalance, commits fail and members seem dead, each with one row per such group. -#}
    select
        cluster,
        day,
        kind,
        subject,
        started_at,
        ended_at,
        explode(group_ids) as group_id,
        case kind
            when 'broker_restarted' then concat(subject, ' was restarted')
            when 'coordinator_moved' then concat('the group coordinator of ', subject, ' moved')
            else concat('the group coordinator loaded ', subject)
        end as what
    from {{ ref("incidents") }}
    where
        {{ is_selected_day() }}
        and kind in ('broker_restarted', 'coordinator_moved', 'partition_loaded')
{%- endmacro %}
