import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:http2";
import { join } from "node:path";
import { live } from "@suncrew/contract/live/live.ts";
import { makeCertificates } from "../production/mosquitto-configuration.ts";
import { until } from "../production/wait-and-random.ts";
import { repositoryDir } from "./local-images.ts";
import { type Contained, runContained, type RunningContained, startContained } from "./service-runner.ts";

const NAME = "suncrew.example";
const START_LIMIT_MS = 120_000;

export interface Proxy {
  readonly name: string;
  stop(): Promise<void>;
}

/** Debian's nginx with deploy/nginx.conf as it is, on ports 80 and 443. */
export async function startNginx(workbench: string, folder: string): Promise<Proxy> {
  const own = join(folder, "nginx");
  mkdirSync(own, { recursive: true });
  const { certificate, key } = certificates(own);
  const contained: Contained = {
    files: workbench,
    command: ["nginx", "-g", "daemon off;"],
    user: "0:0",
    mounts: [
      { from: join(repositoryDir, "deploy/nginx.conf"), to: "/etc/nginx/conf.d/suncrew.conf", readOnly: true },
      { from: certificate, to: `/etc/ssl/${NAME}.pem`, readOnly: true },
      { from: key, to: `/etc/ssl/${NAME}.key`, readOnly: true },
    ],
    tmpfs: ["/tmp", "/run", "/var/lib/nginx", "/var/log/nginx"],
    capabilities: ["chown", "dac_override", "setuid", "setgid", "net_bind_service"],
    readOnly: true,
  };
  await runContained({ ...contained, command: ["nginx", "-t"] }, join(own, "test"));
  return untilItListens("nginx", startContained(contained, own));
}

/** Debian's Caddy with deploy/Caddyfile, and a certificate of its own instead of a public one. */
export async function startCaddy(workbench: string, folder: string): Promise<Proxy> {
  const own = join(folder, "caddy");
  mkdirSync(own, { recursive: true });
  const file = join(own, "Caddyfile");
  const text = readFileSync(join(repositoryDir, "deploy/Caddyfile"), "utf8");
  writeFileSync(file, `{\n\tlocal_certs\n\tskip_install_trust\n}\n${text}`);
  const contained: Contained = {
    files: workbench,
    command: ["caddy", "run", "--config", "/etc/caddy/Caddyfile"],
    user: "0:0",
    environment: { HOME: "/tmp", XDG_DATA_HOME: "/tmp", XDG_CONFIG_HOME: "/tmp" },
    mounts: [{ from: file, to: "/etc/caddy/Caddyfile", readOnly: true }],
    tmpfs: ["/tmp"],
    capabilities: ["net_bind_service"],
    readOnly: true,
  };
  const valid = ["caddy", "validate", "--config", "/etc/caddy/Caddyfile"];
  await runContained({ ...contained, command: valid }, join(own, "test"));
  return untilItListens("Caddy", startContained(contained, own));
}

async function untilItListens(name: string, run: RunningContained): Promise<Proxy> {
  const stop = async () => {
    run.signal("SIGTERM");
    await run.ended;
  };
  const answers = () =>
    request("/api/health").then(
      ({ status }) => status === 200,
      () => false,
    );
  await until(answers, START_LIMIT_MS, `${name} passed nothing on (${run.printed()})`);
  return { name, stop };
}

/** A request over HTTP/2 and TLS to whichever proxy is listening; with a body it sends that. */
export async function request(path: string, headers: Record<string, string> = {}, body?: Buffer) {
  const { stream, close } = open(path, { ...headers, ":method": body === undefined ? "GET" : "POST" });
  try {
    stream.end(body);
    const status = await answered(stream);
    let text = "";
    for await (const chunk of stream.setEncoding("utf8")) text += String(chunk);
    return { status, text };
  } finally {
    close();
  }
}

/** Opens the live stream through the proxy; `until` waits for an event with this text. */
export async function openLiveStream(token: string) {
  const { stream, close } = open(live.path, { authorization: `Bearer ${token}`, accept: "text/event-stream" });
  const status = await answered(stream);
  let text = "";
  stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  return {
    status,
    close,
    until: (wanted: RegExp) => until(() => wanted.test(text), 10_000, `The live stream had nothing like ${wanted}`),
  };
}

function open(path: string, headers: Record<string, string>) {
  // Its certificate is its own; what matters is what the proxy does with requests.
  const session = connect(`https://${NAME}`, {
    rejectUnauthorized: false,
    lookup: (_host, _options, found) => found(null, [{ address: "127.0.0.1", family: 4 }]),
  });
  session.on("error", () => {});
  const stream = session.request({ ":path": path, ...headers });
  stream.on("error", () => {});
  return { stream, close: () => session.destroy() };
}

function answered(stream: ReturnType<ReturnType<typeof connect>["request"]>): Promise<number> {
  return new Promise((resolve, reject) => {
    stream.once("response", (headers) => resolve(Number(headers[":status"])));
    stream.once("close", () => reject(new Error("The proxy closed the connection.")));
  });
}

function certificates(folder: string) {
  makeCertificates(folder, null);
  const [certificate, key] = [join(folder, "certificate.pem"), join(folder, "certificate.key")];
  copyFileSync(join(folder, "broker.crt"), certificate);
  copyFileSync(join(folder, "broker.key"), key);
  return { certificate, key };
}
