{% macro shape_of(text, ids) -%}
    {#-
      A line as its kind: `<id>` for ids, quoted parts and partitions, `<n>` for numbers, so that lines which differ in
      no more are one shape. Ids are free text: `ids` are columns that tell some of them.
    -#}
    left(
        trim(
            regexp_replace(
            regexp_replace(
            regexp_replace(
            regexp_replace(
            regexp_replace(
            regexp_replace(
                {% for _ in ids %}regexp_replace({% endfor %}regexp_extract({{ text }}, r'^[^\n]*', 0)
                {%- for id in ids %},
                concat(r'(?<![\w.-])\Q', coalesce(nullif({{ id }}, ''), chr(0)), r'\E(?![\w.-])'), '<id>'){% endfor %},
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
