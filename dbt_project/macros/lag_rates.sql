{#-
  Rates of consumption and production at a sample: from the first sample of the same reporter in the ten minutes before it, or
  else from the one just before, at most an hour older; only samples of the day that contain both offsets count.
-#}
{% macro sample_before(samples) -%}
    coalesce({{ _sample_within("first", samples, 600) }}, {{ last_sample_before(samples) }})
{%- endmacro %}

{% macro last_sample_before(samples) -%}
    {{ _sample_within("last", samples, 3600) }}
{%- endmacro %}

{% macro _sample_within(which, samples, seconds) -%}
    {{ which }}(
        if(
            {{ samples }}.committed_offset is not null and {{ samples }}.log_end_offset is not null,
            struct({{ samples }}.sampled_at, {{ samples }}.committed_offset, {{ samples }}.log_end_offset), null
        ), true
    ) over (
        partition by {{ samples }}.cluster, {{ samples }}.day, {{ samples }}.topic, {{ samples }}.partition_id,
            {{ samples }}.group_id, {{ samples }}.reporter
        order by {{ samples }}.sampled_at
        range between interval '{{ seconds }}' second preceding and interval '0.001' second preceding
    )
{%- endmacro %}

{% macro per_second(samples, offset) -%}
    {#- Null where the offset fell: a reset, a seek or a truncated log is no rate. -#}
    if(
        {{ samples }}.committed_offset is not null and {{ samples }}.{{ offset }} >= {{ samples }}.before.{{ offset }},
        1000 * ({{ samples }}.{{ offset }} - {{ samples }}.before.{{ offset }})
        / (unix_millis({{ samples }}.sampled_at) - unix_millis({{ samples }}.before.sampled_at)),
        null
    )
{%- endmacro %}

{% macro drained_at(now, lag, consumed_per_s, produced_per_s, is_consuming) -%}
    {#- When the lag is 0 at these rates. Without consumption since the last sample, and after more than a year, it is never. -#}
    case
        when {{ lag }} = 0 then {{ now }}
        when not {{ is_consuming }} then null
        when {{ consumed_per_s }} > {{ produced_per_s }} and {{ lag }} / ({{ consumed_per_s }} - {{ produced_per_s }}) < 31536000
            then timestamp_millis(
                unix_millis({{ now }}) + cast(1000 * {{ lag }} / ({{ consumed_per_s }} - {{ produced_per_s }}) as bigint)
            )
    end
{%- endmacro %}
