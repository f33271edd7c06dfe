#!/bin/sh
# Starts a part of Airflow. The api-server alone knows the password of the user admin: it is written where only it can read.
set -eu
if [ "$1" = api-server ]; then
  umask 077
  /opt/airflow/bin/python - <<'PYTHON'
import json, os
with open(os.environ["AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE"], "w") as file:
    json.dump({"admin": os.environ["AIRFLOW_ADMIN_PASSWORD"]}, file)
PYTHON
  unset AIRFLOW_ADMIN_PASSWORD
fi
exec /opt/airflow/bin/airflow "$@"
