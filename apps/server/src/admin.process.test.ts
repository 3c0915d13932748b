import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { login } from "@suncrew/contract/auth/auth.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PASSWORD, usernames } from "../test/fixtures.ts";
import { compiledBefore } from "../test/suncrew-process.ts";
import { createTestApp, testSettings, type TestApp } from "../test/test-app.ts";
import { TestClient } from "../test/test-client.ts";
import { seedWallboardLinks } from "../test/wallboard-fixtures.ts";
import { ManualClock } from "./platform/clock.ts";

const program = fileURLToPath(new URL("admin.ts", import.meta.url));
const ELSEWHERE = "198.51.100.99";

let server: TestApp;
beforeEach(async () => {
  server = await createTestApp({ clock: new ManualClock(new Date()) });
});
afterEach(() => server.close());

/** Runs the command on the server's database, and answers how it ended and what it printed. */
async function admin(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = { SECRET_KEY: testSettings.secretKey },
): Promise<{ exitCode: number | null; printed: string }> {
  const { connection } = server.deps;
  const url = new URL(connection.connectionString ?? `postgres://${connection.user}@localhost/${connection.database}`);
  if (connection.connectionString === undefined) url.searchParams.set("host", connection.host ?? "");
  const child = spawn(process.execPath, [program, ...words], {
    env: { PATH: process.env["PATH"], ...compiledBefore, DATABASE_URL: url.href, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (bytes: Buffer) => (printed += bytes.toString()));
  const exitCode = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { exitCode, printed };
}

const signIn = (username: string, password: string, address = ELSEWHERE) =>
  new TestClient(server.app.http, null, address).call(login, { body: { username, password } });

const passwordIn = (printed: string) => /Sign in +\S+ \/ (\S+)/.exec(printed)?.[1] ?? "";

async function auditRows() {
  const rows = await server.db.selectFrom("audit").selectAll().where("actor", "=", "Server console").execute();
  return rows.map(({ user_id, action, entity, target_name, outcome, after }) => ({
    user_id,
    action,
    entity,
    target_name,
    outcome,
    after,
  }));
}

describe("set-up: npm run admin", () => {
  test("create adds a Super Admin, who signs in with the password that is printed once", async () => {
    const words = ["create", "meera", "--name", "Meera Iyer", "--email", "meera@suncrew.example"];
    const { exitCode, printed } = await admin(words);
    expect([exitCode, printed.split(passwordIn(printed)).length]).toEqual([0, 2]);
    const answer = await signIn("meera", passwordIn(printed));
    expect([answer.status, answer.body]).toMatchObject([200, { user: { name: "Meera Iyer", role: "SUPER_ADMIN" } }]);
    expect(await auditRows()).toMatchObject([
      {
        user_id: null,
        action: "CREATE_ADMIN",
        entity: "user",
        target_name: "Meera Iyer (meera)",
        outcome: "DONE",
        after: { username: "meera", email: "meera@suncrew.example" },
      },
    ]);
    expect(JSON.stringify(await auditRows())).not.toContain(passwordIn(printed));

    const again = await admin(["create", "MEERA"]);
    expect(again).toEqual({
      exitCode: 1,
      printed: "Somebody already has the username MEERA: choose another one.\n",
    });
  });

  test("reset-password replaces a lost one, ends its sessions, lifts delays and forgets known addresses", async () => {
    const before = await server.signIn("admin");
    for (let each = 0; each < 3; each += 1) await signIn(usernames.admin, "wrong");
    expect((await signIn(usernames.admin, PASSWORD)).status).toBe(429);
    const { exitCode, printed } = await admin(["reset-password", usernames.admin.toUpperCase()]);
    expect(exitCode).toBe(0);
    expect(printed).toContain("has a new password. One session was ended.");
    expect((await before.call(siteDetails)).status).toBe(401);
    expect(await server.db.selectFrom("known_callers").select("key").execute()).toEqual([]);
    expect((await signIn(usernames.admin, passwordIn(printed))).status).toBe(200);
    expect((await signIn(usernames.admin, PASSWORD)).status).toBe(401);
    expect(await auditRows()).toMatchObject([
      { action: "RESET_PASSWORD", entity: "user", outcome: "DONE", after: { sessions_ended: 1 } },
    ]);
  });

  test("reset-password without the servers' key works, and says which failures still count", async () => {
    const { exitCode, printed } = await admin(["reset-password", usernames.admin], {});
    expect(exitCode).toBe(0);
    expect(printed).toContain("SECRET_KEY is not set here");
    expect((await signIn(usernames.admin, passwordIn(printed))).status).toBe(200);
  });

  test("a partner's password cannot be reset from the server console", async () => {
    const { exitCode, printed } = await admin(["reset-password", usernames.owner]);
    expect([exitCode, printed]).toEqual([
      1,
      `${usernames.owner} belongs to a partner: a Super Admin resets its password on the Partners page.\n`,
    ]);
    expect((await signIn(usernames.owner, PASSWORD)).status).toBe(200);
  });

  test("sessions lists who is signed in, and end-sessions signs a user out everywhere", async () => {
    const [one, two] = [await server.signIn("owner"), await server.signIn("owner")];
    const other = await server.signIn("admin");
    await seedWallboardLinks(server.db, server.fixtures);
    const all = await admin(["sessions"]);
    expect(all.printed.match(new RegExp(`^ +${usernames.owner} +Partner +since .* until `, "gm"))).toHaveLength(2);
    expect(all.printed.match(new RegExp(`^ +${usernames.admin} +Super Admin +since `, "gm"))).toHaveLength(1);
    expect((await admin(["sessions", usernames.admin])).printed.trim().split("\n")).toHaveLength(2);

    expect((await admin(["end-sessions", usernames.owner])).printed).toBe(
      `${usernames.owner}: 2 sessions were ended.\n`,
    );
    const statuses = await Promise.all(
      [one, two, other].map(async (client) => (await client.call(siteDetails)).status),
    );
    expect(statuses).toEqual([401, 401, 200]);
    const links = server.db.selectFrom("wallboard_links").select("user_id").where("withdrawn_at", "is", null);
    expect(await links.execute()).toEqual([{ user_id: server.fixtures.userIds.stranger }]);
    expect((await admin(["sessions", usernames.owner])).printed).toBe(
      `There is no open session of ${usernames.owner}.\n`,
    );
    expect(await auditRows()).toMatchObject([{ action: "END_SESSIONS", after: { sessions_ended: 2 } }]);
  });

  test("--help lists the commands; wrong usage exits with 2, failures with 1", async () => {
    const help = await admin(["--help"]);
    expect([help.exitCode, help.printed]).toEqual([0, expect.stringContaining("end-sessions USERNAME") as unknown]);
    const ends = async (...words: string[]) => (await admin(words)).exitCode;
    expect(await ends("make-coffee")).toBe(2);
    expect(await ends("toString")).toBe(2);
    expect(await ends("create", "two words")).toBe(2);
    expect(await ends("create", "meera", "--email", "nonsense")).toBe(2);
    expect(await ends("create", "meera", "--colour", "red")).toBe(2);
    expect(await ends("reset-password")).toBe(2);
    expect(await ends("reset-password", "nobody")).toBe(1);
    expect(await auditRows()).toEqual([]);
  });
});
