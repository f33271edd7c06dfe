#!/bin/sh
# Java with Kafka's jars and the load of the demo, and with as little memory as both need.
exec java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData -XX:+ExitOnOutOfMemoryError -Xss512k -cp '/opt/kafka/*:/opt/demo-load' "$@"
