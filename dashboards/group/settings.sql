-- One row per setting that deserves a change.
select client_id, setting, value, severity, advice, because, rule
from gold.config_findings
where cluster = :cluster and day = :day and group_id = :group_id
order by severity, client_id, setting
