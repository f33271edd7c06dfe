#!/bin/sh
# Runs the store. At the first start it makes two buckets:
#   landing   delivery may write it, pipeline may read it
#   lake      pipeline may write it, reader may read it
# The keys are those of the environment at each start. Nobody has those of the administrator: they are new each time.
set -eu
accounts=
for name in delivery pipeline reader; do
  case $name in
    delivery) secret=$STORE_DELIVERY_SECRET ;;
    pipeline) secret=$STORE_PIPELINE_SECRET ;;
    reader) secret=$STORE_READER_SECRET ;;
  esac
  case $secret in ''|*[!0-9A-Za-z_.=-]*) echo "The secret of $name must be letters, digits and _ . = - only." >&2; exit 2 ;; esac
  accounts="$accounts${accounts:+,}\"$name\":{\"access\":\"$name\",\"secret\":\"$secret\",\"role\":\"user\"}"
done
(umask 077 && printf '{"accessAccounts":{%s}}' "$accounts" > /accounts/users.json)
unset STORE_DELIVERY_SECRET STORE_PIPELINE_SECRET STORE_READER_SECRET accounts secret

export ROOT_ACCESS_KEY=administrator
ROOT_SECRET_KEY=$(head -c 32 /dev/urandom | base64)
export ROOT_SECRET_KEY

bucket() {
  [ -d "/objects/$1" ] || versitygw admin create-bucket --bucket "$1" --owner "$2" \
    --object-ownership BucketOwnerPreferred --grant-full-control "$2" --grant-read "$3"
}

if [ ! -e /objects/.prepared ]; then
  # Where nobody else reaches it.
  versitygw --quiet --port 127.0.0.1:9001 --iam-dir /accounts posix /objects &
  export ADMIN_ENDPOINT_URL=http://127.0.0.1:9001 ADMIN_ACCESS_KEY_ID="$ROOT_ACCESS_KEY" ADMIN_SECRET_ACCESS_KEY="$ROOT_SECRET_KEY"
  until versitygw admin list-buckets > /dev/null 2>&1; do kill -0 $!; sleep 0.2; done
  bucket landing delivery pipeline
  bucket lake pipeline reader
  # An empty lake, which dashboards can already serve.
  mkdir -p /objects/lake/lagoon/quality
  : > /objects/lake/lagoon/quality/.empty
  kill $!
  wait $! || true
  unset ADMIN_ENDPOINT_URL ADMIN_ACCESS_KEY_ID ADMIN_SECRET_ACCESS_KEY
  : > /objects/.prepared
fi
exec versitygw --quiet --port :9000 --health /health --iam-dir /accounts posix /objects
