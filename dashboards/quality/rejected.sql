-- One row per rejected row.
select day, table_name, rules, source_file, source_position, row_json, rejected_at, replayed_at
from quality.rejected_rows
where cluster = :cluster and day between :since and :day
order by day desc, table_name, source_file, source_position
