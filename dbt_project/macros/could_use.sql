{% macro could_use(group_type, assignor) -%}
    {#- Whether a group can choose an assignor: brokers compute range and uniform for KIP-848 groups, clients all but uniform. -#}
    ({{ assignor }} = 'range' or ({{ assignor }} = 'uniform') = ({{ group_type }} = 'consumer'))
{%- endmacro %}
