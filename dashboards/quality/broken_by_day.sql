-- One row per day and broken rule.
select day, rule, sum(broken) as broken
from quality.rule_results
where cluster = :cluster and day between :since and :day and broken > 0
group by day, rule
order by day, rule
