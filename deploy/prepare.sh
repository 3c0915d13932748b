#!/bin/sh
# Prepares an installation of deploy/compose.yaml, before every start: makes each password, key and account once, keeps
# them in the volume /keys, which nothing else mounts, and gives each service the ones that it needs. Certificates are
# new each time, by the installation's own authority, so that they never run out and follow BROKER_NAME.
set -eu
umask 077

# The value of a password or key, made the first time.
secret() {
  if [ ! -s "/keys/$1" ]; then
    openssl rand -hex 32 > "/keys/$1.new"
    mv "/keys/$1.new" "/keys/$1"
  fi
  cat "/keys/$1"
}

# Writes standard input to a file that only this user can read.
give() {
  cat > "$2.new"
  chown "$1:$1" "$2.new"
  chmod 400 "$2.new"
  mv "$2.new" "$2"
}

# A certificate for these names and its key: user, path without ending, names.
certificate() {
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=Suncrew" \
    -addext "subjectAltName=$3" -keyout /tmp/key -out /tmp/request 2> /dev/null
  openssl x509 -req -in /tmp/request -CA /keys/authority.crt -CAkey /keys/authority.key -CAserial /tmp/serial \
    -CAcreateserial -copy_extensions copy -days 3650 -out /tmp/certificate 2> /dev/null
  give "$1" "$2.crt" < /tmp/certificate
  give "$1" "$2.key" < /tmp/key
  rm /tmp/key /tmp/request /tmp/certificate
}

# Mosquitto's accounts: the one that manages accounts, and the servers'.
make_broker_accounts() {
  accounts=/var/lib/mosquitto/dynamic-security.json
  [ ! -s "$accounts" ] || return 0
  manager=$(secret broker-accounts-password)
  mkdir -p /tmp/broker
  mosquitto_ctrl dynsec init /tmp/broker/accounts.json suncrew-accounts "$manager" > /dev/null
  # Devices receive only what the file of topics lets them; mosquitto_ctrl cannot set this default.
  sed -i 's/"publishClientReceive":[[:space:]]*true/"publishClientReceive": false/' /tmp/broker/accounts.json
  cat > /tmp/broker/mosquitto.conf << EOF
user root
allow_anonymous false
plugin /usr/lib/mosquitto_dynamic_security.so
plugin_opt_config_file /tmp/broker/accounts.json
log_dest none
listener 0 /tmp/broker/socket
EOF
  mosquitto -c /tmp/broker/mosquitto.conf 2> /dev/null &
  broker=$!
  tries=50
  until mosquitto_ctrl --unix /tmp/broker/socket -u suncrew-accounts -P "$manager" dynsec getClient suncrew-accounts > /dev/null 2>&1; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || { echo "Mosquitto did not start, so that its accounts could not be made." >&2; exit 1; }
    sleep 0.1
  done
  answer=$(mosquitto_ctrl --unix /tmp/broker/socket -u suncrew-accounts -P "$manager" \
    dynsec createClient suncrew -p "$(secret broker-server-password)" 2>&1) || { echo "$answer" >&2; exit 1; }
  kill "$broker"
  wait "$broker" || true
  cp /tmp/broker/accounts.json "$accounts.new"
  chown mosquitto:mosquitto "$accounts.new" /var/lib/mosquitto
  chmod 600 "$accounts.new"
  mv "$accounts.new" "$accounts"
  rm -rf /tmp/broker
}

if [ ! -s /keys/authority.crt ]; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=Suncrew authority" -days 7300 \
    -keyout /keys/authority.key -out /keys/authority.new 2> /dev/null
  mv /keys/authority.new /keys/authority.crt
fi

# As robots call the broker: a name, or an IPv4 address.
case "${BROKER_NAME:-localhost}" in
  *[!0-9.]*) broker_name="DNS:${BROKER_NAME:-localhost}" ;;
  *) broker_name="IP:$BROKER_NAME" ;;
esac
postgres=999
server=10001
certificate "$postgres" /database/database DNS:database
certificate 10002 /broker/broker "DNS:broker,$broker_name"
secret database-admin-password | give "$postgres" /database/admin-password
secret database-owner-password | give "$postgres" /database/owner-password
secret database-server-password | give "$postgres" /database/server-password
make_broker_accounts

database="database:5432/suncrew?sslmode=verify-full"
give "$server" /server/authority.crt < /keys/authority.crt
give "$server" /server/settings.env << EOF
DATABASE_URL=postgres://suncrew:$(secret database-server-password)@$database
MQTT_URL=mqtts://suncrew:$(secret broker-server-password)@broker:8883
BROKER_ACCOUNTS=dynamic-security
BROKER_ADMIN_URL=mqtts://suncrew-accounts:$(secret broker-accounts-password)@broker:8883
SECRET_KEY=$(secret secret-key)
METRICS_TOKEN=$(secret metrics-token)
EOF
give "$server" /migrate/authority.crt < /keys/authority.crt
give "$server" /migrate/settings.env << EOF
DATABASE_URL=postgres://suncrew:$(secret database-server-password)@$database
MIGRATION_DATABASE_URL=postgres://suncrew_owner:$(secret database-owner-password)@$database
EOF
echo "Prepared: keys, certificates and accounts are in place."
