{#
  The event days that this run rebuilds. They come from environment variables that `lagoon gold` sets, not from --vars,
  because other vars make dbt parse every file again. They are read only while SQL runs (`execute`), because dbt also parses a
  file again when a variable that it read while parsing has changed.
#}

{% macro selected_days() %}
    {#- The event days to rebuild, as ISO dates. -#}
    {{ return(env_var("LAGOON_DAYS").split(",") if execute else ["1970-01-01"]) }}
{% endmacro %}

{% macro previous_days() %}
    {#- The day before each selected day. -#}
    {%- set days = [] -%}
    {%- for day in selected_days() -%}
        {%- do days.append((modules.datetime.date.fromisoformat(day) - modules.datetime.timedelta(1)) | string) -%}
    {%- endfor -%}
    {{ return(days) }}
{% endmacro %}

{% macro selected_and_following_days() %}
    {#- The selected days and all days that look back at one of them. -#}
    {%- set days = [] -%}
    {%- for day in selected_days() -%}
        {%- for shift in range(look_back_days() + 1) -%}
            {%- do days.append((modules.datetime.date.fromisoformat(day) + modules.datetime.timedelta(shift)) | string) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(days | unique | sort) }}
{% endmacro %}

{% macro look_back_days() %}
    {#- How many days a model looks back whose yml has `meta: {looks_back: true}`. -#}
    {{ return(28) }}
{% endmacro %}

{% macro is_day_in(days, column="day") -%}
    {{ column }} in ({% for day in days %}date '{{ day }}'{{ ", " if not loop.last }}{% endfor %})
{%- endmacro %}

{% macro is_selected_day(column="day") -%}
    {{ is_day_in(selected_days(), column) }}
{%- endmacro %}

{% macro is_selected_or_previous_day(column="day") -%}
    {#-
      For a model in which a day sees its own rows and those of the day before. Such a model takes each row twice, once for its
      own day and once for the next, so that a day is the same whichever days are rebuilt with it.
    -#}
    {{ is_day_in((selected_days() + previous_days()) | unique | sort, column) }}
{%- endmacro %}

{% macro is_recent_day(column="day") -%}
    {#- The selected days and those that they look back at. -#}
    {{ column }} between date_sub(date '{{ selected_days() | min }}', {{ look_back_days() }})
    and date '{{ selected_days() | max }}'
{%- endmacro %}

{% macro is_recently_before(column, day) -%}
    {#- What a day looks back at, itself included, so that it is the same whichever days are rebuilt with it. -#}
    {{ column }} between date_sub({{ day }}, {{ look_back_days() }}) and {{ day }}
{%- endmacro %}

{% macro own_and_next_day(column="day") -%}
    {#- The days that see a row: its own, and the next one. -#}
    array({{ column }}, date_add({{ column }}, 1))
{%- endmacro %}

{% macro is_neighbouring_day(column="day") -%}
    {#- Days that are not rebuilt, but that a selected day looks back at or that look back at a selected day. -#}
    {{ column }} between date_sub(date '{{ selected_days() | min }}', {{ look_back_days() }})
    and date_add(date '{{ selected_days() | max }}', {{ look_back_days() }})
    and not {{ is_selected_day(column) }}
{%- endmacro %}
