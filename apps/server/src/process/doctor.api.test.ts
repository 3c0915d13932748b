import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Aedes } from "aedes";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { FakeOpenMeteo, sendJson } from "../../test/fake-open-meteo.ts";
import { createOwnerAndServerAccounts, type OwnerAndServerAccounts } from "../../test/owner-and-server-accounts.ts";
import { SmtpSink } from "../demo/smtp-sink.ts";
import { openDatabase } from "../platform/database/database.ts";
import { migrate } from "../platform/database/migrate.ts";
import { SealedSecrets } from "../platform/sealed-secrets.ts";
import { STOP_NOTICES_TOPIC } from "@suncrew/contract/devices/topics.ts";
import { checkBroker, checkBrokerAccounts } from "./doctor-broker.ts";
import { examine, node } from "./doctor-checks.ts";
import { checkDatabase } from "./doctor-database.ts";
import { check, type Found } from "./doctor-findings.ts";

const SECRET_KEY = "q3ZkT9w-Lr7vXy0bN5mE2hUj8sAcD1fG";

let folder: string;
let database: OwnerAndServerAccounts;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "suncrew-doctor-"));
  const { admin, template } = inject("postgres");
  database = await createOwnerAndServerAccounts(admin, `${template}_${randomBytes(6).toString("hex")}`);
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

/** The tests' PostgreSQL gives up durability for speed, which the doctor rightly calls a problem. */
const problems = (found: readonly Found[]) =>
  found.filter(({ level, says }) => level === "problem" && !says.startsWith("fsync is off"));
const words = (found: readonly Found[]) => found.map(({ level, says }) => `${level}: ${says}`);

async function asOwner(work: (db: ReturnType<typeof openDatabase>["db"]) => Promise<unknown>): Promise<void> {
  const owner = openDatabase({ connectionString: database.ownerUrl }, { poolSize: 1 });
  await work(owner.db);
  await owner.close();
}

describe("npm run doctor: the database", () => {
  test("each state of it is said with what to do, from one without tables to one that is right", async () => {
    const empty = await checkDatabase(database.serverUrl);
    expect(problems(empty)).toMatchObject([
      { says: expect.stringContaining("has no tables yet"), todo: expect.stringContaining("`npm run migrate`") },
    ]);
    const { username: serverAccount } = new URL(database.serverUrl);
    await asOwner((db) => migrate(db, { serverAccount }));
    const right = await checkDatabase(database.serverUrl);
    expect(problems(right)).toEqual([]);
    expect(words(right)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^ok: PostgreSQL \d+\.\d.* at .*, without TLS$/),
        "ok: It accepts changes",
        "ok: A connection stays with one session",
        "ok: Its extension pg_trgm is there",
        `ok: The account ${serverAccount} may do what servers need, and cannot change the audit`,
        "ok: No server is the bridge, which is right while none is running",
      ]),
    );
    const all = await checkDatabase(database.ownerUrl);
    expect(words(all)).toContainEqual(expect.stringMatching(/^warning: The account \S+ could change the audit$/));

    await asOwner((db) => sql`insert into installation (key, value) values ('demo_data', 'yes')`.execute(db));
    await asOwner((db) => sql`revoke select on robots from ${sql.id(serverAccount)}`.execute(db));
    expect(words(problems(await checkDatabase(database.serverUrl)))).toEqual([
      "problem: It holds a demo's data and its known passwords",
      `problem: The account ${serverAccount} may not read 1 of the tables`,
    ]);
    await asOwner((db) => sql`delete from migrations where name = (select max(name) from migrations)`.execute(db));
    expect(problems(await checkDatabase(database.serverUrl))).toMatchObject([
      { says: expect.stringMatching(/has schema \d+, this Suncrew needs \d+/) },
    ]);
  });

  test.each([
    ["a wrong account", (url: URL) => (url.username = "nobody_there"), /account and password in DATABASE_URL/],
    ["a wrong name", (url: URL) => (url.pathname = "/none_there"), /correct its name in DATABASE_URL/],
  ])("%s is explained without the password", async (_what, spoil, todo) => {
    const url = new URL(database.serverUrl);
    url.password = "hidden-from-view";
    spoil(url);
    const [found, ...others] = await checkDatabase(url.href);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ level: "problem", todo: expect.stringMatching(todo) });
    expect(JSON.stringify(found)).not.toContain("hidden-from-view");
  });
});

const CONTROL = "$CONTROL/dynamic-security/v1";

/** A broker whose account may do some things. */
async function broker(may: {
  readonly signIn?: boolean;
  readonly listen?: boolean;
  readonly send?: boolean;
  /** Whether servers hear each other. */
  readonly tell?: boolean;
  /** What its dynamic-security plugin allows by default. */
  readonly allowed?: boolean;
}) {
  const { signIn = true, listen = true, send = true, tell = true, allowed = false } = may;
  const aedes = await Aedes.createBroker({
    authenticate: (_client, username, secret, done) =>
      done(null, signIn && username === "suncrew" && secret?.toString() === "hidden-from-view"),
    authorizeSubscribe: (_client, subscription, done) => done(null, listen ? subscription : null),
    authorizePublish: (_client, _packet, done) => done(send ? null : new Error("not authorized")),
    authorizeForward: (_client, packet) => (tell || !packet.topic.startsWith(STOP_NOTICES_TOPIC) ? packet : null),
  });
  const published: string[] = [];
  aedes.on("publish", ({ topic, payload }, client) => {
    if (client !== null) published.push(topic);
    if (topic !== CONTROL) return;
    const [{ correlationData }] = (JSON.parse(payload.toString()) as { commands: [{ correlationData: string }] })
      .commands;
    const acls = ["publishClientSend", "publishClientReceive", "subscribe"].map((acltype) => ({
      acltype,
      allow: allowed,
    }));
    const answer = { responses: [{ command: "getDefaultACLAccess", correlationData, data: { acls } }] };
    const response = { cmd: "publish", topic: `${CONTROL}/response`, payload: JSON.stringify(answer) } as const;
    aedes.publish({ ...response, qos: 1, retain: false, dup: false }, () => {});
  });
  const server: Server = createServer((socket) => aedes.handle(socket)).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `mqtt://suncrew:hidden-from-view@127.0.0.1:${(server.address() as AddressInfo).port}`,
    published,
    async [Symbol.asyncDispose]() {
      await new Promise<void>((done) => aedes.close(() => done()));
      server.close();
    },
  };
}

describe("npm run doctor: the broker", () => {
  test("one that lets Suncrew do its work; only topics that no robot has are published on", async () => {
    await using good = await broker({});
    const found = await checkBroker(good.url);
    expect(problems(found)).toEqual([]);
    expect(words(found)).toContainEqual(expect.stringMatching(/^ok: It lets Suncrew listen/));
    const ownTopic = /^(scr\/v1\/suncrew-doctor-[0-9a-f]{8}\/|suncrew\/stops\/suncrew-doctor-[0-9a-f]{8}$)/;
    expect(good.published.every((topic) => ownTopic.test(topic))).toBe(true);
    expect(good.published).toHaveLength(3);
  });

  test.each([
    [{ signIn: false }, /^problem: It (refuses the account|cannot be reached)/],
    [{ listen: false }, /^problem: It does not let Suncrew listen to scr\/v1\/\+\/connection/],
    [{ send: false }, /^problem: It does not let Suncrew send on scr\/v1\/\+\/command/],
    [{ tell: false }, /^problem: It does not let Suncrew's servers tell each other of Stops on suncrew\/stops\/#/],
  ])("one that refuses, %o", async (may, says) => {
    await using bad = await broker(may);
    const found = problems(await checkBroker(bad.url));
    expect(words(found)).toEqual([expect.stringMatching(says)]);
    expect(JSON.stringify(found)).not.toContain("hidden-from-view");
  });

  test("one that is not there, and devices' accounts in each form", async () => {
    expect(words(await checkBroker("mqtt://suncrew:hidden-from-view@127.0.0.1:1"))).toEqual([
      expect.stringMatching(/^problem: It cannot be reached: /),
    ]);
    const of = async (settings: Parameters<typeof checkBrokerAccounts>[0]) =>
      words(await checkBrokerAccounts(settings))[0];
    expect(await of({ form: "manual" })).toMatch(/^ok: /);
    expect(await of({ form: "http", token: "t".repeat(32), kickUrl: null })).toMatch(
      /^warning: .*no connection is closed/,
    );
    await using closed = await broker({});
    expect(await of({ form: "dynamic-security", adminUrl: closed.url })).toMatch(
      /^ok: The dynamic-security plugin answers/,
    );
    await using open = await broker({ allowed: true });
    expect(await of({ form: "dynamic-security", adminUrl: open.url })).toMatch(/^problem: .*allows by default/);
  });
});

describe("npm run doctor: everything together", () => {
  const environment = () => ({
    DATABASE_URL: database.ownerUrl,
    MQTT_URL: "mqtt://suncrew:hidden-from-view@127.0.0.1:1",
    SECRET_KEY,
    DATA_DIR: join(folder, "data"),
    WEATHER_PROVIDER: "sample",
    PUBLIC_URL: "http://127.0.0.1:1",
  });
  const look = (more: Readonly<Record<string, string>> = {}) =>
    examine({ environment: { ...environment(), ...more }, sendMailTo: null, noConsole: true });

  test("all wrong variables are named at once, and the other parts are looked at", async () => {
    const findings = await look({ SECRET_KEY: "short-hidden-from-view", TOKEN_HOURS: "never" });
    const wrong = findings.filter(({ part, level }) => part === "settings" && level === "problem");
    expect(wrong.map(({ says }) => says.split(" ")[0])).toEqual(["SECRET_KEY", "TOKEN_HOURS"]);
    expect(new Set(findings.map(({ part }) => part))).toEqual(
      new Set([
        "Node",
        "settings",
        "data folder",
        "database",
        "broker",
        "devices' accounts",
        "mail",
        "weather",
        "address",
      ]),
    );
    expect(JSON.stringify(findings)).not.toMatch(/hidden-from-view|q3ZkT9w/);
    for (const { level, todo } of findings) expect(todo === null).toBe(level === "ok");
  });

  test("weather: each address that is asked, and what follows from one that does not answer", async () => {
    const service = await FakeOpenMeteo.open();
    const { origin, host } = new URL(service.url);
    const of = async (more: Readonly<Record<string, string>>) =>
      words((await look({ WEATHER_PROVIDER: "open-meteo", ...more })).filter(({ part }) => part === "weather"));
    const all = {
      WEATHER_URL: `${origin}/v1/forecast`,
      AIR_QUALITY_URL: `${origin}/v1/air-quality`,
      WEATHER_ARCHIVE_URL: `${origin}/v1/archive`,
    };
    service.answering = (_, response) => sendJson(response, 200, {});
    expect(await of({ WEATHER_URL: all.WEATHER_URL })).toEqual([`ok: ${host} answers`]);
    expect(await of(all)).toEqual([`ok: ${host} answers`, `ok: ${host} answers`, `ok: ${host} answers`]);
    service.answering = (_, response) => sendJson(response, 429, {});
    expect(await of({ ...all, WEATHER_API_KEY: "hidden-from-view" })).toEqual(
      Array.from({ length: 3 }, () => `warning: ${host} answers 429, to the key as well`),
    );
    await service.close();
  });

  test("mail: a server that takes it, one that is down, none, and a mail on request", async () => {
    const sink = await SmtpSink.open();
    const mail = { SMTP_URL: `smtp://127.0.0.1:${sink.port}`, MAIL_FROM: "Suncrew <suncrew@example.org>" };
    const of = async (more: Readonly<Record<string, string>>) =>
      words((await look(more)).filter(({ part }) => part === "mail"));
    expect(await of(mail)).toEqual([`ok: 127.0.0.1:${sink.port} lets Suncrew in`]);
    expect(sink.mails).toEqual([]);
    const sent = { environment: { ...environment(), ...mail }, sendMailTo: "meera@example.org", noConsole: true };
    expect(words(await examine(sent))).toContainEqual(expect.stringContaining("took a mail to meera@example.org"));
    expect(sink.mails).toMatchObject([{ to: ["meera@example.org"] }]);
    await sink.close();
    expect(await of(mail)).toEqual([expect.stringMatching(/^problem: .*could not be reached/)]);
    expect(await of({})).toEqual(["warning: None is set: nothing is sent by email"]);
  });

  test("mail: without variables the server that was set up in the console counts, if its password can be read", async () => {
    const sink = await SmtpSink.open();
    const server = { host: "127.0.0.1", port: sink.port, encryption: "NONE" as const };
    const from = { from_name: "Suncrew", from_address: "suncrew@example.org", changed_at: new Date(), changed_by: "A" };
    const of = async (more: Readonly<Record<string, string>> = {}) =>
      (await look(more)).filter(({ part }) => part === "mail");
    await asOwner(async (db) => {
      await db
        .insertInto("mail_settings")
        .values({ ...server, ...from })
        .execute();
      expect(words(await of())).toEqual([`ok: 127.0.0.1:${sink.port}, set up in the console, lets Suncrew in`]);
      const variables = { SMTP_URL: `smtp://localhost:${sink.port}`, MAIL_FROM: "Suncrew <suncrew@example.org>" };
      expect(words(await of(variables))).toEqual([`ok: localhost:${sink.port} lets Suncrew in`]);
      const mail = { environment: environment(), sendMailTo: "meera@example.org", noConsole: true };
      expect(words(await examine(mail))).toContainEqual(expect.stringContaining("took a mail to meera@example.org"));
      const password = new SealedSecrets(`${SECRET_KEY}x`, "mail server").seal("mail server", "hidden-from-view");
      await db.updateTable("mail_settings").set({ user_name: "suncrew", password }).execute();
      const unreadable = await of();
      expect(unreadable).toMatchObject([{ level: "problem", todo: expect.stringContaining("Report Management") }]);
      expect(JSON.stringify(unreadable)).not.toContain("hidden-from-view");
      await db.deleteFrom("mail_settings").execute();
    });
    await sink.close();
    const away = { DATABASE_URL: "postgres://suncrew@127.0.0.1:1/suncrew" };
    expect(words(await of(away))).toEqual([expect.stringMatching(/^warning: .*cannot be read from the database$/)]);
  });

  test("a data folder that is a file, and one that will be made", async () => {
    await writeFile(join(folder, "file"), "");
    const of = async (path: string) =>
      words((await look({ DATA_DIR: path })).filter(({ part }) => part === "data folder"));
    expect((await of(join(folder, "file")))[0]).toMatch(/^problem: .* is no folder$/);
    expect((await of(join(folder, "new/one")))[0]).toMatch(/^ok: .* will be made by the first start$/);
  });

  test("a check that hangs or throws is a problem, and stops no other", async () => {
    const hangs = await check("broker", () => new Promise<Found[]>(() => {}), 1);
    expect(hangs).toMatchObject([{ part: "broker", level: "problem", says: "It did not answer within 0.001 s." }]);
    const throws = await check("mail", () => Promise.reject(new Error("broken")));
    expect(throws).toMatchObject([{ level: "problem", says: "It could not be checked: broken." }]);
    expect([node("20.19.2").level, node("24.1.0").level]).toEqual(["problem", "ok"]);
  });
});
