-- one row per cluster, group, kind of finding, subject and day
{%- set parts = [
    "finding_aborted_transactions",
    "finding_avoidable_restart",
    "finding_cannot_join",
    "finding_commit_past_log_end",
    "finding_evicted",
    "finding_failed_commits",
    "finding_fenced",
    "finding_history_incomplete",
    "finding_idle_members",
    "finding_lag",
    "finding_negative_lag",
    "finding_no_position",
    "finding_not_understood",
    "finding_off_by_one",
    "finding_open_transaction",
    "finding_overtaken",
    "finding_poll_interval",
    "finding_position_expires",
    "finding_rebalance_storm",
    "finding_redelivery",
    "finding_rows_rejected",
    "finding_setting",
    "finding_silent_source",
    "finding_skipped_records",
    "finding_slow_rebalance",
    "finding_uneven_assignment",
    "finding_untimed_lines",
    "finding_unusual_arrivals",
    "finding_wide_replay_window",
] %}
with

findings_of_parts as (
    {% for part in parts_with_rows(parts) %}
        select * from {{ ref(part) }}
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
