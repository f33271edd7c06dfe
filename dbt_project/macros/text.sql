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

{% macro topic_of(name) -%}
    {#- The topic of "orders-0". The name of a topic may contain dashes. -#}
    left({{ name }}, length({{ name }}) - length(substring_index({{ name }}, '-', -1)) - 1)
{%- endmacro %}

{% macro partition_of(name) -%}
    {#- The partition of "orders-0"; null if it is none. -#}
    if(contains({{ name }}, '-'), try_cast(substring_index({{ name }}, '-', -1) as int), null)
{%- endmacro %}

{% macro text_literal(text) -%}
    {#- A SQL literal of the text: the one place that writes names and paths into the SQL of a model. -#}
    '{{ text | replace("\\", "\\\\") | replace("'", "\\'") | replace("$", "\\u0024") | replace("\n", "\\n") | replace("\r", "\\r") }}'
{%- endmacro %}
