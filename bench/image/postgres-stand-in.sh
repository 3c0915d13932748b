#!/bin/sh
# What the entrypoint of Docker's postgres image does with the variables and files of deploy/compose.yaml, with Debian's
# PostgreSQL: a new data folder with the superuser's password, the scripts of /docker-entrypoint-initdb.d while it listens
# on a socket only, then the command.
set -eu
export PATH="/usr/lib/postgresql/17/bin:$PATH"
export PGDATA=/var/lib/postgresql/data
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  # shellcheck disable=SC2086
  initdb -U postgres --pwfile="$POSTGRES_PASSWORD_FILE" $POSTGRES_INITDB_ARGS > /dev/null
  echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
  pg_ctl -w -o "-c listen_addresses=''" start > /dev/null
  for script in /docker-entrypoint-initdb.d/*.sql; do
    psql -v ON_ERROR_STOP=1 --no-password --no-psqlrc -U postgres -d postgres -f "$script"
  done
  pg_ctl -w -m fast stop > /dev/null
fi
# The official image listens everywhere by default.
exec "$@" -c listen_addresses='*'
