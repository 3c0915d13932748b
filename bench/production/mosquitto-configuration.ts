import { randomBytes } from "node:crypto";
import { chown, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  MAX_MESSAGE_BYTES,
  robotLeaves,
  serverLeaves,
  STOP_NOTICES_TOPIC,
  TOPIC_ROOT,
} from "@suncrew/contract/devices/topics.ts";
import type { Device } from "@suncrew/simulator/fleet/link.ts";
import { type Account, debianProgram, runProgram } from "./private-part.ts";

/** The account of all servers. */
export const SERVER = "suncrew";

/** The server's account: receives what robots send and is the only one that commands them (protocol rule 9). */
export const serverAcl = [
  `user ${SERVER}`,
  ...robotLeaves.map((leaf) => `topic read ${TOPIC_ROOT}/+/${leaf}`),
  ...serverLeaves.map((leaf) => `topic write ${TOPIC_ROOT}/+/${leaf}`),
  `topic readwrite ${STOP_NOTICES_TOPIC}/#`,
];
/** As docs/operating.md recommends for up to 45,000 robots. */
export const MAX_QUEUED_MESSAGES = 100_000;
/** Every robot: its own topics only; it receives its commands and publishes everything else. */
export const robotAcl = [
  ...robotLeaves.map((leaf) => `pattern write ${TOPIC_ROOT}/%u/${leaf}`),
  ...serverLeaves.map((leaf) => `pattern read ${TOPIC_ROOT}/%u/${leaf}`),
];

export interface Doors {
  readonly server: number;
  readonly serverTls: number;
  readonly robot: number;
  readonly robotTls: number;
}

export interface Configuration {
  readonly file: string;
  /** User and password of servers, as a URL contains them. */
  readonly serverAccount: string;
  /** The certificate of the authority that signed the broker's, for NODE_EXTRA_CA_CERTS. */
  readonly authorityFile: string;
  /** What remains to be done once the broker runs. */
  readonly complete?: () => void;
}

export type WriteConfiguration = (
  folder: string,
  account: Account,
  doors: Doors,
  devices: readonly Device[],
) => Promise<Configuration>;

/**
 * Writes what docs/operating.md says: servers and robots have separate listeners, so that a robot can neither
 * use the server's account nor another robot's client id. The folder must belong to the account.
 */
export async function writeConfiguration(
  folder: string,
  account: Account,
  doors: Doors,
  devices: readonly Device[],
): Promise<Configuration> {
  const write = (name: string, lines: readonly string[]) => writeOwned(account, join(folder, name), lines);
  const passwords = async (name: string, accounts: readonly string[]): Promise<string> => {
    const path = await write(name, accounts);
    runProgram(account, debianProgram("mosquitto_passwd", "mosquitto"), ["-U", path]);
    return path;
  };
  const password = randomBytes(18).toString("base64url");
  const accounts = devices.map(({ serial, secret }) => `${serial}:${secret}`);
  const servers = [
    `password_file ${await passwords("servers.passwords", [`${SERVER}:${password}`])}`,
    `acl_file ${await write("servers.acl", serverAcl)}`,
  ];
  const robots = [
    "use_username_as_clientid true",
    `password_file ${await passwords("robots.passwords", accounts)}`,
    `acl_file ${await write("robots.acl", robotAcl)}`,
  ];
  const tls = makeCertificates(folder, account);
  const door = (port: number, lines: readonly string[]) => [
    `listener ${port} 127.0.0.1`,
    "allow_anonymous false",
    ...lines,
  ];
  const file = await write("mosquitto.conf", [
    "per_listener_settings true",
    "persistence true",
    `persistence_location ${folder}/`,
    "set_tcp_nodelay true",
    `message_size_limit ${MAX_MESSAGE_BYTES}`,
    `max_queued_messages ${MAX_QUEUED_MESSAGES}`,
    ...door(doors.server, servers),
    ...door(doors.serverTls, [...servers, ...tls.lines]),
    ...door(doors.robot, robots),
    ...door(doors.robotTls, [...robots, ...tls.lines]),
  ]);
  return { file, serverAccount: `${SERVER}:${password}`, authorityFile: tls.authorityFile };
}

/** No accounts, for benchmarks in which one program stands for all robots; limits the queue of a client, by 0 not at all. */
export const openToAll =
  (maxQueuedMessages = MAX_QUEUED_MESSAGES): WriteConfiguration =>
  async (folder, account, doors) => {
    const ports = [doors.server, doors.serverTls, doors.robot, doors.robotTls];
    const file = await writeOwned(account, join(folder, "mosquitto.conf"), [
      "allow_anonymous true",
      "persistence true",
      `persistence_location ${folder}/`,
      "set_tcp_nodelay true",
      `message_size_limit ${MAX_MESSAGE_BYTES}`,
      `max_queued_messages ${maxQueuedMessages}`,
      ...ports.map((port) => `listener ${port} 127.0.0.1`),
    ]);
    return { file, serverAccount: `${SERVER}:unused`, authorityFile: "" };
  };

/** Writes a file that belongs to the account and that nobody else can read. */
export async function writeOwned(account: Account, path: string, lines: readonly string[]): Promise<string> {
  await writeFile(path, `${lines.join("\n")}\n`, { mode: 0o600 });
  if (account !== null) await chown(path, account.uid, account.gid);
  return path;
}

/** Our own authority and a certificate for the broker signed by it, as a small company would create them. */
export function makeCertificates(folder: string, account: Account): { lines: string[]; authorityFile: string } {
  const openssl = (...args: string[]) => runProgram(account, debianProgram("openssl", "openssl"), args);
  const file = (name: string) => join(folder, name);
  const [authority, authorityKey] = [file("authority.crt"), file("authority.key")];
  const [certificate, key, request] = [file("broker.crt"), file("broker.key"), file("broker.csr")];
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  openssl(
    "req",
    "-x509",
    ...newKey,
    "-keyout",
    authorityKey,
    "-out",
    authority,
    "-days",
    "2",
    "-subj",
    "/CN=Suncrew trial",
  );
  openssl(
    "req",
    ...newKey,
    "-keyout",
    key,
    "-out",
    request,
    "-subj",
    "/CN=localhost",
    "-addext",
    "subjectAltName=DNS:localhost",
  );
  const signed = [
    "-CA",
    authority,
    "-CAkey",
    authorityKey,
    "-CAcreateserial",
    "-copy_extensions",
    "copy",
    "-days",
    "2",
  ];
  openssl("x509", "-req", "-in", request, ...signed, "-out", certificate);
  return { lines: [`certfile ${certificate}`, `keyfile ${key}`], authorityFile: authority };
}
