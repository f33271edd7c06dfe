#!/bin/sh
# Creates the cluster once, and a role and a database for each NAME_DATABASE_PASSWORD that is set; then runs PostgreSQL.
# Passwords reach it by standard input: neither a command line nor a log has them.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  # Connections from other containers need a password; the socket is in this container alone.
  rm -rf "$PGDATA"
  initdb --pgdata="$PGDATA.new" --auth-local=peer --auth-host=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8 >/dev/null
  echo "host all all all scram-sha-256" >> "$PGDATA.new/pg_hba.conf"
  mv "$PGDATA.new" "$PGDATA"
fi

set_role() {
  postgres --single -D "$PGDATA" -c log_min_messages=fatal "${2:-postgres}" >/dev/null <<SQL
$1
SQL
}

database() {
  name=$1 password=$2
  [ -n "$password" ] || return 0
  case $password in *[!0-9A-Za-z_.=-]*) echo "The password of the database $name may have letters, digits and _ . = - only." >&2; exit 2;; esac
  set_role "do \$\$ begin if not exists (select from pg_roles where rolname = '$name') then create role $name login; end if; end \$\$;"
  set_role "alter role $name password '$password';"
  # There is no \"create database if not exists\": the second time it is refused, and that is all right.
  set_role "create database $name owner $name;" 2>/dev/null || true
}

database airflow "${AIRFLOW_DATABASE_PASSWORD:-}"
database superset "${SUPERSET_DATABASE_PASSWORD:-}"
unset AIRFLOW_DATABASE_PASSWORD SUPERSET_DATABASE_PASSWORD
exec postgres -D "$PGDATA" -c listen_addresses='*' -c unix_socket_directories=/tmp -c shared_buffers=64MB -c max_connections=60
