#!/bin/sh
# Runs the broker. The first start makes its folder.
set -eu
may-deliver
properties=/etc/kafka/server.properties
if [ ! -e /kafka/data/meta.properties ]; then
  # An id that begins with `-` would be taken for an option.
  id=$(head -c 15 /dev/urandom | base64 | tr '+/' '-_')
  kafka-java kafka.tools.StorageTool format --cluster-id "AA$id" --config "$properties"
fi
exec kafka-java -Xms192m -Xmx192m -Dlog4j2.configurationFile=/etc/kafka/log4j2.xml kafka.Kafka "$properties"
