{% macro quantity(number, noun) -%}
    {#- "1 record", "4,645 records" -#}
    concat(format_number({{ number }}, 0), if({{ number }} = 1, ' {{ noun }}', ' {{ noun }}s'))
{%- endmacro %}

{% macro seconds(ms) -%}
    {#- "12.5 s" -#}
    concat(format_number({{ ms }} / 1000, 1), ' s')
{%- endmacro %}

{% macro partition_time(ms) -%}
    {#- "18.0 partition-seconds", "2.5 partition-minutes": a number of partitions times a duration -#}
    if(
        {{ ms }} < 60000,
        concat(format_number({{ ms }} / 1000, 1), ' partition-seconds'),
        concat(format_number({{ ms }} / 60000, 1), ' partition-minutes')
    )
{%- endmacro %}

{% macro utc(time) -%}
    {#- "2026-11-18T11:28:12.213Z" -#}
    date_format({{ time }}, "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'")
{%- endmacro %}

{% macro topic_partition(relation=none) -%}
    {#- "orders-0" -#}
    concat({{ relation ~ "." if relation }}topic, '-', {{ relation ~ "." if relation }}partition_id)
{%- endmacro %}

{% macro escaped(text) -%}
    {#- Text for a SQL literal. -#}
    {{ text | replace("\\", "\\\\") | replace("'", "\\'") | replace("\n", " ") | trim }}
{%- endmacro %}
