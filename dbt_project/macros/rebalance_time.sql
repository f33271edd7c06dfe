{% macro rebalance_time() -%}
    {#- When a rebalance started; when it completed if no source contains the start. -#}
    coalesce(started_at, completed_at)
{%- endmacro %}
