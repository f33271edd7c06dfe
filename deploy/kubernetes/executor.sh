#!/bin/bash
# An executor in a pod of its own (`spark-executor` in the image): what Spark's own image does with the variables that the
# driver gives its pods.
set -eu
options=()
while IFS= read -r -d '' variable; do
  [[ $variable == SPARK_JAVA_OPT_* ]] && options+=("${variable#*=}")
done < <(env -0 | sort -z -t_ -k4 -n)
exec java "${options[@]}" "-Xms$SPARK_EXECUTOR_MEMORY" "-Xmx$SPARK_EXECUTOR_MEMORY" \
  -cp "${SPARK_CLASSPATH:-}:$SPARK_HOME/jars/*" \
  org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend \
  --driver-url "$SPARK_DRIVER_URL" --executor-id "$SPARK_EXECUTOR_ID" --cores "$SPARK_EXECUTOR_CORES" \
  --app-id "$SPARK_APPLICATION_ID" --hostname "$SPARK_EXECUTOR_POD_IP" --resourceProfileId "$SPARK_RESOURCE_PROFILE_ID" \
  --podName "$SPARK_EXECUTOR_POD_NAME"
