{% macro offsets_retention_minutes(cluster) %}
    {#- offsets.retention.minutes of a cluster from the settings, else Kafka's default. -#}
    {%- set minutes_by_cluster = fromjson(env_var("LAGOON_OFFSETS_RETENTION")) if execute else {} -%}
    {%- if minutes_by_cluster -%}
        case {{ cluster }}
            {%- for name, minutes in minutes_by_cluster | dictsort %} when {{ text_literal(name) }} then {{ minutes }}{% endfor %} else 10080 end
    {%- else -%}
        10080
    {%- endif -%}
{% endmacro %}
