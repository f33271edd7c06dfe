{% macro sorted_changes(change) -%}
    {#- What changes of a group tell, in the order of its log, those without a place first; the newest of them, which is the one
        that most commits come after; and for the others their places, their times, and the powers of two to search them by.
        A change is a struct of place, at and told. -#}
    max({{ change }}) as newest,
    transform(sort_array(collect_list({{ change }})), change -> change.told) as in_order,
    -- what has no place is before everything
    transform(sort_array(collect_list({{ change }})), change -> coalesce(change.place, -1)) as places,
    transform(sort_array(collect_list({{ change }})), change -> change.at) as times,
    transform(sequence(cast(ceil(log2(count(*))) as int), 0, -1), power -> shiftleft(1, power)) as steps
{%- endmacro %}

{% macro last_before(changes, place, at) -%}
    {#- What the last of some sorted changes before a place in the log tells; by time where there is no place. -#}
    case
        when if({{ place }} is null, {{ changes }}.newest.at <= {{ at }}, coalesce({{ changes }}.newest.place < {{ place }}, true))
            then {{ changes }}.newest.told
        when {{ place }} is null then {{ found_before(changes, "times", "<=", at) }}
        else {{ found_before(changes, "places", "<", place) }}
    end
{%- endmacro %}

{% macro found_before(changes, sorted, is_before, value) -%}
    get(
        {{ changes }}.in_order,
        aggregate(
            {{ changes }}.steps, -1,
            (low, step) -> if(get({{ changes }}.{{ sorted }}, low + step) {{ is_before }} {{ value }}, low + step, low)
        )
    )
{%- endmacro %}
