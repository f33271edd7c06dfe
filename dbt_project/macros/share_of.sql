{% macro share_of(counted, rows_here) -%}
    {#- The part of a file's count that falls to one hour: by the rows of that kind, where it has none by all its rows. -#}
    case
        when sum({{ rows_here }}) over of_the_file > 0
            then {{ counted }} * {{ rows_here }} div sum({{ rows_here }}) over of_the_file
        when sum(by_hour.bronze_rows) over of_the_file > 0
            then {{ counted }} * by_hour.bronze_rows div sum(by_hour.bronze_rows) over of_the_file
        else 0
    end
{%- endmacro %}
