{% macro rebalance_time() -%}
    {#- When a rebalance started; when it completed if no source contains the start, else the first time it was seen. -#}
    coalesce(started_at, completed_at, first_seen_at)
{%- endmacro %}
