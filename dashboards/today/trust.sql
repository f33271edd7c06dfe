-- One row: whether the day can be trusted.
select trust, sentence
from gold.day_trust
where cluster = :cluster and day = :day
