{#- A number that the rules of expectations/ compare with too: expectations/thresholds.py has it. -#}

{% macro threshold(name) -%}
    {{ fromjson(env_var("LAGOON_THRESHOLDS"))[name] if execute else 1 }}
{%- endmacro %}
