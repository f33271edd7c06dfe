-- one row per event of a group's day, and per thing to change
{%- set parts = [
    "story_incidents",
    "story_members",
    "story_rebalances",
    "story_commits",
    "story_reading",
    "story_lag",
    "story_advice",
] %}
with

story as (
    {% for part in parts_with_rows(parts) %}
        select * from {{ ref(part) }}
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
