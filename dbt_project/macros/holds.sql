{#
  The test of gold's tables: of the rows that this run wrote, no two have the same grain, and every rule of `always` holds for
  each row. One query checks both. A rule is a predicate over one row; null is not broken. `unique_where` restricts the rows
  that must have a grain of their own.
#}
{% test holds(model, grain, unique_where="true", always=[]) %}
    {%- set grain_hash = "xxhash64(" ~ grain | join(", ") ~ ")" %}
    with

    new_rows as (
        select * from {{ model }} where {{ is_selected_day() }}
    ),

    -- Comparing hashes is cheaper than comparing grains, and usually no hash occurs twice. The hint distributes the rows by
    -- hash, because nearly every hash is a group of its own and counting before the exchange would combine nothing.
    hashes as (
        select /*+ repartition(grain_hash) */ grain_hash
        from (
            select {{ grain_hash }} as grain_hash
            from new_rows
            where {{ unique_where }}
        )
    ),

    repeated_hashes as (
        select grain_hash
        from hashes
        group by grain_hash
        having count(*) > 1
    ),

    -- The broadcast lets Spark skip reading the rows again where no hash occurs twice.
    repeated_grains as (
        select /*+ broadcast(repeated_hashes) */ 1
        from new_rows
        left semi join repeated_hashes on {{ grain_hash }} = repeated_hashes.grain_hash
        group by {{ grain | join(", ") }}
        having count(*) > 1
    )

    select
        'one row per {{ grain | join(", ") }}' as broken,
        count(*) as rows_found
    from repeated_grains
    having count(*) > 0
    {% if always %}
    union all
    select
        result.broken,
        result.rows_found
    from (
        select
            array(
                {%- for rule in always %}
                struct({{ text_literal(rule | replace("\n", " ") | trim) }} as broken, count_if(not ({{ rule }})) as rows_found){{ "," if not loop.last }}
                {%- endfor %}
            ) as results
        from new_rows
    )
    lateral view explode(results) as result
    where result.rows_found > 0
    {% endif %}
{% endtest %}
