-- one row per cluster and day that a reporter told a position on
select distinct
    cluster,
    day
from {{ source("silver", "lag_samples") }}
where {{ is_selected_day() }}
