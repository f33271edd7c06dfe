{% macro sorted_changes(change) -%}
    {#- Changes of a group in the order of its log, those without a place first; the newest of them, which is the one that
        most commits come after; and the powers of two to search the others by. -#}
    max({{ change }}) as newest,
    sort_array(collect_list({{ change }})) as in_order,
    transform(sequence(cast(ceil(log2(count(*))) as int), 0, -1), power -> shiftleft(1, power)) as steps
{%- endmacro %}

{% macro last_before(changes, place, at) -%}
    {#- The last of some sorted changes before a place in the log; by time where there is no place. -#}
    if(
        {{ is_before(changes ~ ".newest", place, at) }},
        {{ changes }}.newest,
        try_element_at(
            {{ changes }}.in_order,
            nullif(
                aggregate(
                    {{ changes }}.steps, 0,
                    (low, step) -> if(
                        low + step <= size({{ changes }}.in_order)
                        and {{ is_before("get(" ~ changes ~ ".in_order, low + step - 1)", place, at) }},
                        low + step, low
                    )
                ), 0
            )
        )
    )
{%- endmacro %}

{% macro is_before(change, place, at) -%}
    if({{ place }} is null, {{ change }}.at <= {{ at }}, coalesce({{ change }}.place < {{ place }}, true))
{%- endmacro %}
