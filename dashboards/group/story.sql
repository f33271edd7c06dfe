-- One row per line of the story.
select happened_at, kind, sentence, evidence, sources
from gold.group_story
where cluster = :cluster and day = :day and group_id = :group_id
order by happened_at nulls last, turn, sentence
