{#
  What "incremental" means here: a table by event day. Its columns, types, NOT NULL and comments are those of the model's yml; a run replaces the days
  that it is told to make in one commit, so a day that came out empty is empty afterwards; and what its yml names beside
  them (meta: replaces_also; finished_by_the_next_day: rows of the days before these).

  It does not ask what stands before it writes. With --full-refresh, which a changed project causes, the query is
  compared with the contract, and a table that has other columns than the yml is made anew.
#}
{% materialization incremental, adapter="spark", supported_languages=["sql"] %}
    {%- set standing = load_relation(this) if should_full_refresh() else none -%}
    {%- set make = "create or replace table" if standing and not has_the_columns(standing) else "create table if not exists" -%}
    {%- call statement("table") -%}
        {{ make }} {{ this }} ({{ columns_of_the_contract() }})
        using delta
        partitioned by (day)
        location '{{ env_var("LAGOON_GOLD") }}/{{ this.identifier }}'
        {#- Lowest and highest values of all columns took a third of the time of writing, and a file holds a whole day of them. #}
        tblproperties ('delta.dataSkippingNumIndexedCols' = '3')
        comment '{{ escaped(model.description) }}'
    {%- endcall -%}
    {%- if should_full_refresh() -%}
        {{ get_assert_columns_equivalent(compiled_code) }}
    {%- endif -%}
    {%- call statement("main") -%}
        insert into {{ this }} replace where
        {{ is_one_of(days_and_those_that_look_back_at_them() if config.get("meta", {}).looks_back else days()) }}
        {{- " or " ~ config.get("meta").replaces_also if config.get("meta", {}).replaces_also }}
        {%- if config.get("meta", {}).finished_by_the_next_day %}
        or {{ is_one_of(days_before()) }} and {{ config.get("meta").finished_by_the_next_day }}
        {%- endif %}
        select {{ model.columns | join(", ") }}
        from ({{ compiled_code }})
    {%- endcall -%}
    {{ return({"relations": [this]}) }}
{% endmaterialization %}

{% macro columns_of_the_contract() -%}
    {%- for column in model.columns.values() %}
    {{ column.name }} {{ column.data_type }}
    {{- " not null" if column.constraints | selectattr("type", "equalto", "not_null") | list }} comment '{{ escaped(column.description) }}'
    {{- "," if not loop.last }}
    {%- endfor %}
{%- endmacro %}

{% macro has_the_columns(relation) %}
    {%- set standing = [] -%}
    {%- for column in adapter.get_columns_in_relation(relation) -%}
        {%- do standing.append(column.name ~ " " ~ column.dtype) -%}
    {%- endfor -%}
    {%- set wanted = [] -%}
    {%- for column in model.columns.values() -%}
        {%- do wanted.append(column.name ~ " " ~ column.data_type) -%}
    {%- endfor -%}
    {{ return(standing == wanted) }}
{% endmacro %}

{% macro escaped(text) -%}
    {{ text | replace("\\", "\\\\") | replace("'", "\\'") | replace("\n", " ") | trim }}
{%- endmacro %}
