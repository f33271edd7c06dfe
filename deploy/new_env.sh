#!/bin/sh
# Writes .env from .env.example with a secret for each name that has no value, for this user alone. One that exists keeps its lines and
# gets the secrets that it lacks, as an upgrade may need.
set -eu
example=$1 new=$2
umask 077

with_secret() {
  case $1 in
    AIRFLOW_FERNET_KEY=) echo "$1$(head -c 32 /dev/urandom | base64 -w 0 | tr '+/' '-_')" ;;
    [A-Z]*=) echo "$1$(head -c 48 /dev/urandom | base64 -w 0 | tr '+/' '-_')" ;;
    *) printf '%s\n' "$1" ;;
  esac
}

if [ -e "$new" ]; then
  lacking=$(grep -E '^[A-Z_]+=$' "$example" | while IFS= read -r line; do grep -q "^$line" "$new" || echo "$line"; done)
  if [ -z "$lacking" ]; then
    echo "$new exists and lacks no secret. Move it away to make new ones." >&2
    exit 2
  fi
  echo >> "$new"
  for line in $lacking; do with_secret "$line" >> "$new"; done
  echo "$new: added" $(echo "$lacking" | tr -d '=')
  exit
fi
while IFS= read -r line; do with_secret "$line"; done < "$example" > "$new.part"
mv "$new.part" "$new"
