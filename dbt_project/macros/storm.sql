{#- What a storm is, as the settings tell it: so many rebalances of a group in so many minutes. -#}

{% macro others_in_a_storm() -%}
    {{ (fromjson(env_var("LAGOON_STORM")).rebalances if execute else 5) - 1 }}
{%- endmacro %}

{% macro storm_minutes() -%}
    {{ fromjson(env_var("LAGOON_STORM")).minutes if execute else 10 }}
{%- endmacro %}
