-- one row per cluster and day: whether its numbers can be trusted
with

sources as (
    select
        cluster,
        day,
        source,
        sum(records) as records,
        sum(not_understood) as not_understood,
        sum(rejected) as rejected,
        sum(holes) as holes,
        bool_or(halted) as halted
    from {{ ref("coverage") }}
    where {{ is_selected_day() }}
    group by all
),

silent_sources as (
    select
        cluster,
        day,
        count(*) as silent,
        min(subject) as first_silent
    from {{ ref("silent_exporters") }}
    group by all
),

days as (
    select
        cluster,
        day,
        sum(records) as records,
        sum(not_understood) as not_understood,
        sum(rejected) as rejected,
        sum(holes) as holes,
        bool_or(halted) as halted,
        array_sort(collect_set(if(records > 0, source, null))) as sources
    from sources
    group by all
),

reasons as (
    select
        days.*,
        array_except(array('group_logs', 'lag_metrics', 'offset_dumps'), days.sources) as missing,
        array_compact(array(
            if(days.halted, 'a delivery was halted, and nothing of it is in the tables', null),
            if(
                days.not_understood > 0,
                concat(
                    format_number(days.not_understood, 0), ' of ', {{ quantity("days.records", "record") }},
                    ' were not understood'
                ), null
            ),
            if(days.rejected > 0, concat({{ quantity("days.rejected", "row") }}, ' in quarantine'), null),
            if(days.holes > 0, concat({{ quantity("days.holes", "hole") }}, ' in the logs of __consumer_offsets'), null),
            if(
                silent_sources.silent > 0,
                concat(
                    silent_sources.first_silent,
                    if(silent_sources.silent = 1, ' says', concat(' and ', silent_sources.silent - 1, ' more say')),
                    ' nothing about groups'
                ), null
            )
        )) as reasons
    from days
    left join silent_sources using (cluster, day)
),

with_missing as (
    select
        *,
        if(
            size(missing) = 0, reasons,
            array_append(reasons, concat('no ', array_join(missing, ' and no '), ', so what only they contain is unknown'))
        ) as all_reasons,
        case
            when halted or 2 * (not_understood + coalesce(rejected, 0)) > records then 'no'
            when size(reasons) > 0 or size(missing) > 0 then 'mostly'
            else 'yes'
        end as trust
    from reasons
)

select
    cluster,
    day,
    trust,
    concat(
        case trust
            when 'yes' then 'Can be trusted: '
            when 'mostly' then 'Can be trusted except for what is missing: '
            else 'Can''t be trusted: '
        end,
        if(
            size(all_reasons) = 0,
            concat(
                'all ', {{ quantity("records", "record") }}, ' of ', array_join(sources, ', '),
                ' were understood, and no row was rejected'
            ),
            array_join(all_reasons, '; ')
        )
    ) as sentence
from with_missing
