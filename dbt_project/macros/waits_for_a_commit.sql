{% macro waits_for_a_commit() -%}
    {#- Whether a rebalance found no commit on its own day: then the next day's commits are looked at. -#}
    completed_at is not null
    and coalesce(timestampadd(millisecond, first_commit_after_ms, completed_at) >= timestamp(date_add(day, 1)), true)
{%- endmacro %}
