{% macro shape_of(text, ids) -%}
    {#-
      The first line of a text with placeholders: `<id>` for ids, quoted parts and partitions, `<n>` for numbers. Lines that
      differ only in these have the same shape. Ids are free text; `ids` are columns that contain some of them. Only the start
      of a line is looked at: the patterns take the square of the time for a line of twice the length.
    -#}
    left(
        trim(
            regexp_replace(
            regexp_replace(
            regexp_replace(
            regexp_replace(
            regexp_replace(
            regexp_replace(
                {% for _ in ids %}regexp_replace({% endfor %}left(regexp_extract({{ text }}, r'^[^\n]*', 0), 1000)
                {%- for id in ids %},
                concat(r'(?<![\w.-])\Q', coalesce(nullif(replace({{ id }}, r'\E', r'\E\\E\Q'), ''), chr(0)), r'\E(?![\w.-])'), '<id>'){% endfor %},
                r'"[^"]*"|\x27[^\x27]*\x27', '<id>'),
                r'[^ ,()\[\]{}=]*[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}', '<id>'),
                r'(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[a-zA-Z])[\w-]{22}(?![\w-])', '<id>'),
                r'[A-Za-z_][\w.]*(?:-[\w.]+)*-\d+(?![\w-])', '<id>'),
                r'-?\d+(?:[.:,]\d+)*', '<n>'),
                r'(<id>|<n>)(?:[-@:/., ]*(?:<id>|<n>))+', '$1')
        ),
        200
    )
{%- endmacro %}
