{% macro variation(load, mean, members) -%}
    {#- Over rows of those who have something: the standard deviation of all members' loads as a part of their mean. -#}
    sqrt((sum(pow({{ load }} - {{ mean }}, 2)) + (max({{ members }}) - count(*)) * pow(max({{ mean }}), 2)) / max({{ members }}))
    / max({{ mean }})
{%- endmacro %}
