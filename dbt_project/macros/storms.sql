{#- A storm: at least this many rebalances of a group within this many minutes, as the settings say. -#}

{% macro storm_rebalances() -%}
    {{ fromjson(env_var("LAGOON_STORM")).rebalances if execute else 5 }}
{%- endmacro %}

{% macro storm_minutes() -%}
    {{ fromjson(env_var("LAGOON_STORM")).minutes if execute else 10 }}
{%- endmacro %}
