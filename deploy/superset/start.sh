#!/bin/sh
# Migrates Superset's database, makes its administrator, imports the dashboard of the lake, and serves.
set -eu
superset db upgrade
python -m admin
superset init
python -m import_assets
unset SUPERSET_ADMIN_PASSWORD
exec gunicorn --workers 1 --worker-class gthread --threads 8 --timeout 120 "superset.app:create_app()"
