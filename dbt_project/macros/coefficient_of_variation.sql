{% macro coefficient_of_variation(load, mean, members) -%}
    {#- Standard deviation of the members' loads, divided by their mean. Only members with a load have a row; others count as 0.
    Spark adds doubles in no fixed order: rounded, so that the same day gives the same number again. -#}
    round(
        sqrt((sum(pow({{ load }} - {{ mean }}, 2)) + (max({{ members }}) - count(*)) * pow(max({{ mean }}), 2)) / max({{ members }}))
        / max({{ mean }}),
        9
    )
{%- endmacro %}
