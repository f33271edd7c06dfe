{% macro coefficient_of_variation(load, mean, members) -%}
    {#- Standard deviation of the members' loads, divided by their mean. Only members with a load have a row; others count as 0. -#}
    sqrt((sum(pow({{ load }} - {{ mean }}, 2)) + (max({{ members }}) - count(*)) * pow(max({{ mean }}), 2)) / max({{ members }}))
    / max({{ mean }})
{%- endmacro %}
