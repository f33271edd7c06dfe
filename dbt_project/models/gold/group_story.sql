-- one row per event of a group's day, and per thing to change
{%- set parts = [
    ref("story_incidents"),
    ref("story_members"),
    ref("story_rebalances"),
    ref("story_commits"),
    ref("story_reading"),
    ref("story_lag"),
    ref("story_advice"),
] %}
with

story as (
    {% for part in parts %}
        select * from {{ part }}
        {% if not loop.last %}union all{% endif %}
    {% endfor %}
)

select
    cluster,
    day,
    group_id,
    happened_at,
    turn,
    kind,
    sentence,
    evidence,
    sources
from story
