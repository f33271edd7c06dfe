{% macro counted(number, noun) -%}
    {#- "1 record", "4,645 records" -#}
    concat(format_number({{ number }}, 0), if({{ number }} = 1, ' {{ noun }}', ' {{ noun }}s'))
{%- endmacro %}

{% macro utc(time) -%}
    date_format({{ time }}, "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'")
{%- endmacro %}

{% macro partition_time(ms) -%}
    {#- "18.0 partition-seconds", "2.5 partition-minutes": partitions times how long -#}
    if(
        {{ ms }} < 60000,
        concat(format_number({{ ms }} / 1000, 1), ' partition-seconds'),
        concat(format_number({{ ms }} / 60000, 1), ' partition-minutes')
    )
{%- endmacro %}
