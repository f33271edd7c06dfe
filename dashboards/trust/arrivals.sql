-- One row per cluster, source or origin and day of which something is unlike the same weekdays before.
select
    day, level, source, origin, is_silent, silent_since, missing_hours, compared_hours, compared_records, usual_records,
    fewest_records, most_records, not_understood, most_not_understood, missing_values, new_values
from gold.arrivals
where
    cluster = :cluster and day between :since and :day
    and (
        is_silent or size(missing_hours) > 0 or compared_records < fewest_records or compared_records > most_records
        or not_understood > most_not_understood or size(missing_values) > 0 or size(new_values) > 0
    )
order by day desc, level, source, origin
