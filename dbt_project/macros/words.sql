{% macro counted(number, noun) -%}
    {#- "1 record", "4,645 records" -#}
    concat(format_number({{ number }}, 0), if({{ number }} = 1, ' {{ noun }}', ' {{ noun }}s'))
{%- endmacro %}

{% macro utc(time) -%}
    date_format({{ time }}, "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'")
{%- endmacro %}
