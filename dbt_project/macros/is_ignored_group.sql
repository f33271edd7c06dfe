{% macro is_ignored_group(column="group_id") -%}
    {#- Whether the setting findings.ignored_groups names the group. -#}
    {%- set patterns = ["(?!)"] -%}
    {%- for pattern in (env_var("LAGOON_FINDINGS_IGNORED_GROUPS") if execute else "").split(",") if pattern | trim -%}
        {%- do patterns.append(modules.re.escape(pattern | trim).replace("\\*", ".*")) -%}
    {%- endfor -%}
    {{ column }} rlike {{ text_literal("^(" ~ patterns | join("|") ~ ")$") }}
{%- endmacro %}
