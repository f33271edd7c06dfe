{#
  What must be true of the rows that this run made, in one query: no two rows of one grain, and no row that breaks a
  sentence. A sentence is a predicate over one row; null is not broken. Of rows whose place (`placed_by`) is not told two
  may be of one grain.
#}
{% test holds(model, grain, placed_by=none, always=[]) %}
    {%- set grain_as_number = "xxhash64(" ~ grain | join(", ") ~ ")" %}
    with

    made as (
        select * from {{ model }} where {{ of_the_days() }}
    ),

    -- Rows of one grain have one number, which is cheaper to look for; mostly there are none to look at more closely. Shared
    -- out first, since counting before that joins nothing.
    numbers as (
        select /*+ repartition(grain_as_number) */ grain_as_number
        from (
            select {{ grain_as_number }} as grain_as_number
            from made
            {% if placed_by %}where {{ placed_by }} is not null{% endif %}
        )
    ),

    suspects as (
        select grain_as_number
        from numbers
        group by grain_as_number
        having count(*) > 1
    ),

    -- By broadcast, so that rows are read again only where there are suspects.
    twice as (
        select /*+ broadcast(suspects) */ 1
        from made
        left semi join suspects on {{ grain_as_number }} = suspects.grain_as_number
        group by {{ grain | join(", ") }}
        having count(*) > 1
    )

    select
        'one row per {{ grain | join(", ") }}' as broken,
        count(*) as rows_found
    from twice
    having count(*) > 0
    {% if always %}
    union all
    select
        told.broken,
        told.rows_found
    from (
        select
            array(
                {%- for sentence in always %}
                struct('{{ escaped(sentence) }}' as broken, count_if(not ({{ sentence }})) as rows_found){{ "," if not loop.last }}
                {%- endfor %}
            ) as counted
        from made
    )
    lateral view explode(counted) as told
    where told.rows_found > 0
    {% endif %}
{% endtest %}
