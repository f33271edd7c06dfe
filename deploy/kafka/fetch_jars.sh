#!/bin/sh
# `fetch_jars.sh LIST FOLDER`: fetches the jars of the list by Ivy, alone and without what they depend on, and checks each.
set -eu
list=$1 folder=$2
work=$(mktemp -d)
grep -v '^#' "$list" | awk '
  BEGIN { print "<ivy-module version=\"2.0\"><info organisation=\"lagoon\" module=\"kafka\"/><dependencies>" }
  { split($1, part, ":"); printf "<dependency org=\"%s\" name=\"%s\" rev=\"%s\" conf=\"default->master\" transitive=\"false\"/>\n", part[1], part[2], part[3] }
  END { print "</dependencies></ivy-module>" }' > "$work/ivy.xml"
java -jar /usr/share/java/ivy.jar -warn -cache "$work/cache" -ivy "$work/ivy.xml" -retrieve "$folder/[organisation]_[artifact]-[revision].[ext]"
grep -v '^#' "$list" | awk -v folder="$folder" '{ split($1, part, ":"); print $2 "  " folder "/" part[1] "_" part[2] "-" part[3] ".jar" }' > "$work/sums"
sha256sum --check --quiet "$work/sums"
rm -r "$work"
