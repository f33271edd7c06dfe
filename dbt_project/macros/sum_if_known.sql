{% macro sum_if_known(column) -%}
    {#- A sum of upper bounds is one only if each of them is known. -#}
    if(count({{ column }}) = count(*), sum({{ column }}), null)
{%- endmacro %}
