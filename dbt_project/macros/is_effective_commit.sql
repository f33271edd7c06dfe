{% macro is_effective_commit(transaction="transaction") -%}
    {#-
      Whether a commit counts as a position: it is plain, or its transaction was committed. A copy without a place in the log
      does not contain whether it was part of a transaction (null), and counts too.
    -#}
    coalesce({{ transaction }}, 'none') in ('none', 'committed')
{%- endmacro %}
