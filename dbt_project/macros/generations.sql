{% macro generations_of_consumers() -%}
    {#- A group that became a KIP-848 one, or a classic one again, tells one generation twice: the first counts. -#}
    {{ of_the_days() }}
    and protocol_type = 'consumer'
    and member_count > 0
    and coalesce(generation > previous_generation, true)
{%- endmacro %}
