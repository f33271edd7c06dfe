{% macro sorted_changes(change) -%}
    {#- Changes of a group in the order of its log, those without a place first, and the powers of two to search them by. -#}
    sort_array(collect_list({{ change }})) as in_order,
    transform(sequence(cast(ceil(log2(count(*))) as int), 0, -1), power -> shiftleft(1, power)) as steps
{%- endmacro %}

{% macro last_before(changes, place, at) -%}
    {#- The last of some sorted changes before a place in the log; by time where there is no place. -#}
    try_element_at(
        {{ changes }}.in_order,
        nullif(
            aggregate(
                {{ changes }}.steps, 0,
                (low, step) -> if(
                    low + step <= size({{ changes }}.in_order) and if(
                        {{ place }} is null,
                        get({{ changes }}.in_order, low + step - 1).at <= {{ at }},
                        coalesce(get({{ changes }}.in_order, low + step - 1).place < {{ place }}, true)
                    ), low + step, low
                )
            ), 0
        )
    )
{%- endmacro %}
