{#
  Which days are made. They come from the environment and not from --vars, since other vars make dbt parse every file
  anew; and they are asked for only when SQL runs, since dbt parses a file anew when a variable that its parsing saw changes.
#}

{% macro days() %}
    {#- The event days to make, as ISO dates. -#}
    {{ return(env_var("LAGOON_DAYS").split(",") if execute else ["1970-01-01"]) }}
{% endmacro %}

{% macro days_and_those_that_look_back_at_them() %}
    {#- What a model that looks back replaces: a day that changes changes what the days after it see. -#}
    {%- set written = [] -%}
    {%- for day in days() -%}
        {%- for shift in range(look_back() + 1) -%}
            {%- do written.append((modules.datetime.date.fromisoformat(day) + modules.datetime.timedelta(shift)) | string) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(written | unique | sort) }}
{% endmacro %}

{% macro look_back() %}
    {#- How many days a model looks back that says so in its yml (meta: looks_back). -#}
    {{ return(28) }}
{% endmacro %}

{% macro days_before() %}
    {#- The day before each of the days to make. -#}
    {%- set before = [] -%}
    {%- for day in days() -%}
        {%- do before.append((modules.datetime.date.fromisoformat(day) - modules.datetime.timedelta(1)) | string) -%}
    {%- endfor -%}
    {{ return(before) }}
{% endmacro %}

{% macro is_one_of(days, column="day") -%}
    {{ column }} in ({% for day in days %}date '{{ day }}'{{ ", " if not loop.last }}{% endfor %})
{%- endmacro %}

{% macro of_the_days(column="day") -%}
    {{ is_one_of(days(), column) }}
{%- endmacro %}

{% macro of_the_days_or_the_days_before(column="day") -%}
    {#- What a model sees that looks back one day. It takes each row once for its own day and once for the next, so that
        a day comes out the same whichever days are made with it. -#}
    {{ is_one_of((days() + days_before()) | unique | sort, column) }}
{%- endmacro %}

{% macro about_the_days(column="day") -%}
    {#- Rows that a day made, or one that looks back at it, can see, without the days made. -#}
    {{ column }} between date_sub(date '{{ days() | min }}', {{ look_back() }}) and date_add(date '{{ days() | max }}', {{ look_back() }})
    and not {{ of_the_days(column) }}
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
