{#
  What must be true of the rows that this run made, in one query: no two rows of one grain, and no row that breaks a
  sentence. A sentence is a predicate over one row; null is not broken.
#}
{% test holds(model, grain, always=[]) %}
    with

    made as (
        select * from {{ model }} where {{ of_the_days() }}
    )

    select
        'one row per {{ grain | join(", ") }}' as broken,
        count(*) as rows_found
    from (select 1 from made group by {{ grain | join(", ") }} having count(*) > 1)
    having count(*) > 0
    {% if always %}
    union all
    select
        unmet as broken,
        count(*) as rows_found
    from made
    lateral view explode(array_compact(array(
        {%- for sentence in always %}
        if({{ sentence }}, null, if(({{ sentence }}) is null, null, '{{ escaped(sentence) }}')){{ "," if not loop.last }}
        {%- endfor %}
    ))) as unmet
    group by unmet
    {% endif %}
{% endtest %}
