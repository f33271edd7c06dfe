{% macro commit_kind() -%}
    {#- How an effective commit compares with the effective commit before it. -#}
    case
        when after_tombstone then 'after_tombstone'
        when previous_committed_offset is null then 'first'
        when committed_offset < previous_committed_offset then 'regression'
        when committed_offset = previous_committed_offset then 'repeat'
        else 'advance'
    end
{%- endmacro %}
