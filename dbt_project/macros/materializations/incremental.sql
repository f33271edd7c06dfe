{#
  Lagoon's own `incremental`, in place of the one of dbt-spark. It keeps that name because dbt checks the constraints of a
  contract only for materializations with its own names. What differs:

  - The table comes from the contract, not from the query: columns, types, NOT NULL and comments are those of the model's yml.
  - A run replaces event days, in one commit: the selected days, so that a day whose rows are gone becomes empty, and
      - meta `looks_back`: also the following days that look back at a selected day,
      - meta `also_replaces` (a predicate): also the rows of any day for which it is true,
      - meta `also_replaces_on_previous_days` (a predicate): also such rows of the day before a selected day.
    dbt's own strategies merge by key, append, or replace only partitions that have new rows.
  - It does not look up existing tables, because that takes longer than many of the queries. Only with --full-refresh, which
    `lagoon gold` uses when the project has changed, it replaces a table whose columns are not those of the contract. If some
    days can't be built again, because `lagoon upkeep` deleted what they were built from, it adds the new columns instead, which
    are null in the rows of those days.
  - The tests compare each query with the contract (LAGOON_CHECK_CONTRACTS). A user's run does not: it would analyse every query
    twice, which took a ninth of the JVM's time for gold in a first run of the recording.
#}
{% materialization incremental, adapter="spark", supported_languages=["sql"] %}
    {%- set meta = config.get("meta", {}) -%}
    {%- set existing = load_relation(this) if should_full_refresh() else none -%}
    {%- set replace = existing and not has_contract_columns(existing) -%}
    {%- if replace and env_var("LAGOON_KEEPS_OLD_DAYS", "") -%}
        {{ add_contract_columns(existing) }}
        {%- set replace = false -%}
    {%- endif -%}
    {%- call statement("table") -%}
        {{ "create or replace table" if replace else "create table if not exists" }} {{ this }} ({{ contract_columns() }})
        using delta
        partitioned by (day)
        location {{ text_literal(env_var("LAGOON_GOLD") ~ "/" ~ this.identifier) }}
        {#- Minimum and maximum of every column took a third of the time of writing; a file holds a whole day of them. #}
        tblproperties ('delta.dataSkippingNumIndexedCols' = '3')
        comment {{ text_literal(model.description | trim) }}
    {%- endcall -%}
    {%- if env_var("LAGOON_CHECK_CONTRACTS", "") -%}
        {{ get_assert_columns_equivalent(compiled_code) }}
    {%- endif -%}
    {%- call statement("main") -%}
        insert into {{ this }} replace where
        {{ is_day_in(selected_and_following_days() if meta.looks_back else selected_days()) }}
        {{- " or " ~ meta.also_replaces if meta.also_replaces }}
        {%- if meta.also_replaces_on_previous_days %}
        or {{ is_day_in(previous_days()) }} and {{ meta.also_replaces_on_previous_days }}
        {%- endif %}
        select {{ model.columns | join(", ") }}
        from ({{ compiled_code }})
    {%- endcall -%}
    {{ return({"relations": [this]}) }}
{% endmaterialization %}

{% macro contract_columns() -%}
    {#- The columns of the model's yml as SQL of `create table`. -#}
    {%- for column in model.columns.values() %}
    {{ column.name }} {{ column.data_type }}
    {{- " not null" if column.constraints | selectattr("type", "equalto", "not_null") | list }} comment {{ text_literal(column.description | trim) }}
    {{- "," if not loop.last }}
    {%- endfor %}
{%- endmacro %}

{% macro add_contract_columns(relation) %}
    {#- Adds the columns of the model's yml that a table lacks, in their places. -#}
    {%- set names = adapter.get_columns_in_relation(relation) | map(attribute="name") | list -%}
    {%- set last = namespace(place="first") -%}
    {%- for column in model.columns.values() -%}
        {%- if column.name not in names -%}
            {%- call statement("add_" ~ column.name) -%}
        alter table {{ relation }} add columns (
            {{ column.name }} {{ column.data_type }} comment {{ text_literal(column.description | trim) }} {{ last.place }}
        )
            {%- endcall -%}
        {%- endif -%}
        {%- set last.place = "after " ~ column.name -%}
    {%- endfor -%}
    {%- if not has_contract_columns(relation) -%}
        {{
            exceptions.raise_compiler_error(
                "the table has columns that this version of Lagoon does not write, and days that can't be built again: "
                ~ "copy " ~ relation ~ " and delete its folder, and the other days are built"
            )
        }}
    {%- endif -%}
{% endmacro %}

{% macro has_contract_columns(relation) %}
    {#- Whether a table has the columns and types of the model's yml, in that order. -#}
    {%- set existing_columns = [] -%}
    {%- for column in adapter.get_columns_in_relation(relation) -%}
        {%- do existing_columns.append(column.name ~ " " ~ column.dtype) -%}
    {%- endfor -%}
    {%- set contract_columns = [] -%}
    {%- for column in model.columns.values() -%}
        {%- do contract_columns.append(column.name ~ " " ~ column.data_type) -%}
    {%- endfor -%}
    {{ return(existing_columns == contract_columns) }}
{% endmacro %}
