{% macro is_selected_delivery() -%}
    {#- Whether a delivery contains rows of the selected days. Bronze is partitioned by it. -#}
    {{ is_day_in(env_var("LAGOON_DELIVERIES").split(",") if execute else selected_days(), "delivered_on") }}
{%- endmacro %}

{% macro is_halted_delivery(cluster="cluster", delivered_on="delivered_on") -%}
    {#- Whether a rule halted the delivery, so that silver leaves it out. -#}
    concat({{ cluster }}, ' ', {{ delivered_on }}) in (
        ''{% for delivery in fromjson(env_var("LAGOON_HALTED")) if execute %}, {{ text_literal(delivery) }}{% endfor %}
    )
{%- endmacro %}
