{% macro last_before(in_order, place, at) -%}
    {#- Of what happened in a group's log, the last before a place in it; by time where there is no place. -#}
    try_element_at(
        filter({{ in_order }}, one -> if({{ place }} is null, one.at <= {{ at }}, coalesce(one.place < {{ place }}, false))), -1
    )
{%- endmacro %}
