{#
  Which days are made. They come from the environment and not from --vars, since other vars make dbt parse every file
  anew; and they are asked for only when SQL runs, since dbt parses a file anew when a variable that its parsing saw changes.
#}

{% macro days() %}
    {#- The event days to make, as ISO dates. -#}
    {{ return(env_var("LAGOON_DAYS").split(",") if execute else ["1970-01-01"]) }}
{% endmacro %}

{% macro days_written() %}
    {#- The days that a model replaces: those to make, and for one that looks back every day that looks back at them. -#}
    {%- set written = [] -%}
    {%- for day in days() -%}
        {%- for shift in range(lookback_days() | int + 1) -%}
            {%- do written.append((modules.datetime.date.fromisoformat(day) + modules.datetime.timedelta(shift)) | string) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(written | unique | sort) }}
{% endmacro %}

{% macro is_one_of(days, column="day") -%}
    {{ column }} in ({% for day in days %}date '{{ day }}'{{ ", " if not loop.last }}{% endfor %})
{%- endmacro %}

{% macro of_the_days(column="day") -%}
    {{ is_one_of(days(), column) }}
{%- endmacro %}

{% macro lookback_days() -%}
    {{ (config.get("meta") or {}).get("lookback_days", 0) }}
{%- endmacro %}

{% macro first_day_looked_at() -%}
    date_sub(date '{{ days() | min }}', {{ lookback_days() }})
{%- endmacro %}

{% macro last_day_written() -%}
    date '{{ days_written() | max }}'
{%- endmacro %}

{% macro of_the_deliveries() -%}
    {#- Rows of the deliveries that tell of the days, so that bronze is read by its partitions. -#}
    {{ is_one_of(env_var("LAGOON_DELIVERIES").split(",") if execute else days(), "delivered_on") }}
{%- endmacro %}

{% macro is_halted(cluster="cluster", delivered_on="delivered_on") -%}
    {#- Whether a delivery is left out of silver because it lies. -#}
    concat({{ cluster }}, ' ', {{ delivered_on }}) in (
        ''{% for delivery in fromjson(env_var("LAGOON_HALTED")) if execute %}, '{{ escaped(delivery) }}'{% endfor %}
    )
{%- endmacro %}
