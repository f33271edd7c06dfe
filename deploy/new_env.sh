#!/bin/sh
# Writes .env from .env.example with a secret for each name that has no value, for this user alone.
set -eu
example=$1 new=$2
if [ -e "$new" ]; then
  echo "$new exists: its secrets are in use. Move it away to make new ones." >&2
  exit 2
fi
umask 077
while IFS= read -r line; do
  case $line in
    AIRFLOW_FERNET_KEY=) echo "$line$(head -c 32 /dev/urandom | base64 -w 0 | tr '+/' '-_')" ;;
    [A-Z]*=) echo "$line$(head -c 48 /dev/urandom | base64 -w 0 | tr '+/' '-_')" ;;
    *) printf '%s\n' "$line" ;;
  esac
done < "$example" > "$new.part"
mv "$new.part" "$new"
