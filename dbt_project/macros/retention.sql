{% macro retention_minutes(cluster) %}
    {#- offsets.retention.minutes of a cluster, as the settings tell it by cluster; Kafka's default where they don't. -#}
    {%- set told = fromjson(env_var("LAGOON_OFFSETS_RETENTION")) if execute else {} -%}
    {%- if told -%}
        case {{ cluster }}
            {%- for name, minutes in told | dictsort %} when '{{ escaped(name) }}' then {{ minutes }}{% endfor %} else 10080 end
    {%- else -%}
        10080
    {%- endif -%}
{% endmacro %}
