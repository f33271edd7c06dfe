{#-
  Burrow's rules for one partition at one moment. `recent` is a row of lag_commit_windows, a summary of the last commits. The
  first rule that holds decides. An unknown value decides nothing, except that there is no status without the current lag.
-#}
{% macro burrow_status(now, recent, lag, lowest_recent_log_end_offset) -%}
    case
        when {{ lag }} is null then null
        when coalesce({{ recent }}.commits, 0) = 0 then 'ok'
        when {{ recent }}.commits / {{ status_setting("WINDOW") }} < {{ status_setting("MINIMUM_COMPLETE") }} then 'ok'
        when {{ lag }} <= {{ status_setting("ALLOWED_LAG") }} then 'ok'
        when
            {{ now }} - {{ recent }}.last_committed_at > {{ recent }}.last_committed_at - {{ recent }}.first_committed_at
            and not coalesce({{ lowest_recent_log_end_offset }} <= {{ recent }}.last_committed_offset, false)
            then 'stop'
        when {{ recent }}.rewound then 'rewind'
        when {{ recent }}.lowest_lag <= {{ status_setting("ALLOWED_LAG") }} then 'ok'
        when {{ recent }}.is_stalled then 'stall'
        when {{ recent }}.lag_never_falls then 'warn'
        else 'ok'
    end
{%- endmacro %}

{% macro burrow_status_code(status) -%}
    case {{ status }} when 'ok' then 1 when 'warn' then 2 when 'stop' then 4 when 'stall' then 5 when 'rewind' then 6 end
{%- endmacro %}

{% macro status_setting(name) -%}
    {{ env_var("LAGOON_GOLD_STATUS_" ~ name) if execute else 10 }}
{%- endmacro %}
