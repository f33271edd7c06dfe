{#- What is usual: of the same weekday in the four weeks before, if at least three of them are known. -#}

{% macro usual_median(numbers) -%}
    {#- The median of an array of numbers; null if there are fewer than three. -#}
    case when size({{ numbers }}) >= 3 then (
        array_sort({{ numbers }})[cast((size({{ numbers }}) - 1) div 2 as int)]
        + array_sort({{ numbers }})[cast(size({{ numbers }}) div 2 as int)]
    ) / 2 end
{%- endmacro %}

{% macro usual_spread(numbers, median) -%}
    {#- The median distance from the median, scaled to the standard deviation of normally distributed numbers. -#}
    1.4826D * {{ usual_median("transform(" ~ numbers ~ ", number -> abs(number - " ~ median ~ "))") }}
{%- endmacro %}

{% macro spreads_allowed() -%}
    {#- So many spreads from the median are still usual. -#}
    5
{%- endmacro %}

{% macro sum_of(numbers) -%}
    aggregate({{ numbers }}, 0L, (total, number) -> total + number)
{%- endmacro %}
