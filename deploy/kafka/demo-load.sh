#!/bin/bash
# Runs the load. One of its consumers is killed every few minutes, and is started again when the group has noticed.
set -eu
killed=search-indexer-3
seconds_alive=150 seconds_dead=40
may-deliver

load() {
  exec kafka-java -Xmx"$1" -Dlog4j2.configurationFile=/etc/demo-load/log4j2.xml -Dlog4j2.isThreadContextMapInheritable=true \
    DemoLoad "${@:2}"
}

rm -f acknowledged
load 96m all-but "$killed" &
others=$!
trap 'kill "$others"; wait "$others"; exit' TERM
# The topics exist.
until [ -e acknowledged ]; do sleep 1 & wait $!; kill -0 "$others"; done
while kill -0 "$others"; do
  load 48m only "$killed" &
  one=$!
  sleep "$seconds_alive" & wait $!
  kill -KILL "$one"
  sleep "$seconds_dead" & wait $!
done
