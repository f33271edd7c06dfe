-- one row per group of which some source shows who reads what, and day: client logs, or the group's own records
select distinct
    cluster,
    day,
    group_id,
    true as has_known_readers
from {{ ref("read_starts") }}
where {{ is_selected_day() }}
union
select distinct
    cluster,
    day,
    group_id,
    true as has_known_readers
from {{ source("silver", "group_generations") }}
where {{ is_selected_day() }}
