-- one row per cluster, group, kind of finding, subject and day
{%- set parts = [
    ref("finding_aborted_transactions"),
    ref("finding_avoidable_restart"),
    ref("finding_cannot_join"),
    ref("finding_commit_past_log_end"),
    ref("finding_evicted"),
    ref("finding_failed_commits"),
    ref("finding_fenced"),
    ref("finding_history_incomplete"),
    ref("finding_idle_members"),
    ref("finding_lag"),
    ref("finding_negative_lag"),
    ref("finding_no_position"),
    ref("finding_not_understood"),
    ref("finding_off_by_one"),
    ref("finding_open_transaction"),
    ref("finding_overtaken"),
    ref("finding_poll_interval"),
    ref("finding_position_expires"),
    ref("finding_rebalance_storm"),
    ref("finding_redelivery"),
    ref("finding_rows_rejected"),
    ref("finding_setting"),
    ref("finding_silent_source"),
    ref("finding_skipped_records"),
    ref("finding_slow_rebalance"),
    ref("finding_uneven_assignment"),
    ref("finding_untimed_lines"),
    ref("finding_unusual_arrivals"),
    ref("finding_wide_replay_window"),
] %}
with

findings_of_parts as (
    {% for part in parts %}
        select * from {{ part }}
        {% if not loop.last %}union all{% endif %}
    {% endfor %}
),

-- A warning whose cost is known to be nothing is an information. One unknown value must not make a whole day's gold fail: a
-- test of this table reports a text that is missing.
findings as (
    select
        cluster,
        day,
        group_id,
        kind,
        subject,
        if(
            severity = 'warning' and greatest(cost_records, cost_partition_ms, cost_members) = 0, 'info', severity
        ) as severity,
        coalesce(title, '') as title,
        coalesce(evidence, '') as evidence,
        coalesce(cost, '') as cost,
        cost_records,
        cost_partition_ms,
        cost_members,
        coalesce(recommendation, '') as recommendation,
        coalesce(expected_effect, '') as expected_effect
    from findings_of_parts
    where not {{ is_ignored_group() }}
),

-- The selected days, and the neighbouring days as they are: they see each other.
known_findings as (
    select * from findings
    union all
    select * except (first_seen_day, days_seen, rank)
    from {{ this }}
    where {{ is_neighbouring_day() }}
),

recurring_findings as (
    select
        *,
        min(day) over recent_days as first_seen_day,
        count(*) over recent_days as days_seen
    from known_findings
    window recent_days as (
        partition by cluster, group_id, kind, subject
        order by unix_date(day)
        range between {{ look_back_days() }} preceding and current row
    )
)

select
    cluster,
    day,
    group_id,
    kind,
    subject,
    severity,
    title,
    evidence,
    cost,
    cost_records,
    cost_partition_ms,
    cost_members,
    recommendation,
    expected_effect,
    first_seen_day,
    days_seen,
    row_number() over (
        partition by cluster, day
        order by
            array_position(array('critical', 'warning', 'info'), severity) asc,
            -- One partition paused for a minute, or one idle consumer, counts like 1,000 records.
            coalesce(cost_records, 0) + coalesce(cost_partition_ms, 0) / 60 + 1000 * coalesce(cost_members, 0) desc,
            group_id asc, kind asc, subject asc
    ) as rank
from recurring_findings
where {{ is_day_in(selected_and_following_days()) }}
