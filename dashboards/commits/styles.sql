-- One row per style of committing.
select
    commit_style,
    count(distinct group_id) as groups,
    count(*) as partitions,
    sum(commits) as commits,
    percentile(gap_ms_p50, 0.5) as gap_ms_p50,
    max(gap_ms_max) as gap_ms_max,
    sum(regressions) as regressions
from gold.commit_health
where cluster = :cluster and day between :since and :day
group by commit_style
order by partitions desc, commit_style
