{% macro share_of_file(file_count, hour_rows) -%}
    {#-
      The share of a file's count that belongs to one hour: in proportion to the hour's rows of that kind, else to all rows of the
      hour. For a join of `files` and `by_hour` with the window `whole_file`.
    -#}
    case
        when sum({{ hour_rows }}) over whole_file > 0
            then {{ file_count }} * {{ hour_rows }} div sum({{ hour_rows }}) over whole_file
        when sum(by_hour.bronze_rows) over whole_file > 0
            then {{ file_count }} * by_hour.bronze_rows div sum(by_hour.bronze_rows) over whole_file
        else 0
    end
{%- endmacro %}
