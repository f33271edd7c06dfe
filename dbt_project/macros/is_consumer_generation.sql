{% macro is_consumer_generation() -%}
    {#-
      Generations of the selected days that have members and the consumer protocol. A group that was converted to KIP-848, or
      back, has one generation under both types: the first one counts.
    -#}
    {{ is_selected_day() }}
    and protocol_type = 'consumer'
    and member_count > 0
    and coalesce(generation > previous_generation, true)
{%- endmacro %}
