{% macro can_use_assignor(group_type, assignor) -%}
    {#- Brokers compute range and uniform for KIP-848 groups; members of classic groups compute all but uniform. -#}
    ({{ assignor }} = 'range' or ({{ assignor }} = 'uniform') = ({{ group_type }} = 'consumer'))
{%- endmacro %}
