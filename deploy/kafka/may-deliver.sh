#!/bin/sh
# Landing has to be a volume: a folder of the machine belongs to somebody else.
if [ ! -w "$LAGOON_LANDING" ]; then
  echo "The demo may not write into landing. Set LANDING_FOLDER=demo-landing in .env, which is a volume." >&2
  exit 2
fi
