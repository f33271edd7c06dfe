#!/bin/sh
# Migrates Superset's database, makes its administrator and the connection to the lake, and serves.
set -eu
superset db upgrade
python /srv/superset/admin.py
superset init
superset set-database-uri --database_name Lagoon --uri hive://sql:10000/gold
unset SUPERSET_ADMIN_PASSWORD
exec gunicorn --workers 1 --worker-class gthread --threads 8 --timeout 120 --bind 0.0.0.0:8088 "superset.app:create_app()"
