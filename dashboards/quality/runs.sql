-- One row per run, day, layer and table.
select started_at, ended_at, layer, table_name, day, outcome, rows_in, rows_accepted, rows_rejected, rows_duplicate, run_id
from quality.runs
where cluster = :cluster and day between :since and :day
order by started_at desc, layer, table_name
