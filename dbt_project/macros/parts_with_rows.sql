{% macro parts_with_rows(parts) %}
    {#- Of models whose rows are put together those that this run does not exclude because they can't have any; or all of them. -#}
    {%- set with_rows = [] -%}
    {%- if execute -%}
        {%- for part in parts if part not in (invocation_args_dict.exclude or []) -%}
            {%- do with_rows.append(part) -%}
        {%- endfor -%}
    {%- endif -%}
    {{ return(with_rows or parts) }}
{% endmacro %}
