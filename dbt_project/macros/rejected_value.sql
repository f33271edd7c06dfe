{% macro rejected_value(column) -%}
    {#- A column of a row in quarantine (quality.rejected_rows), as text. -#}
    get_json_object(row_json, '$.{{ column }}')
{%- endmacro %}
