-- one row per cluster and day with samples of positions
select distinct
    cluster,
    day
from {{ source("silver", "lag_samples") }}
where {{ is_selected_day() }}
