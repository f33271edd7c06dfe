#!/bin/sh
# `lagoon` as Airflow's tasks call it: without Airflow's secrets.
unset AIRFLOW__DATABASE__SQL_ALCHEMY_CONN AIRFLOW__CORE__FERNET_KEY AIRFLOW__API_AUTH__JWT_SECRET
exec /opt/lagoon/bin/lagoon "$@"
