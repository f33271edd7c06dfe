-- One row per row that is in quarantine now.
select day, table_name, rules, source_file, source_position, row_json, rejected_at
from quality.rejected_rows
where cluster = :cluster and day between :since and :day and replayed_at is null
order by day desc, table_name, source_file, source_position
