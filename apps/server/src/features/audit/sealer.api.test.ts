import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../platform/clock.ts";
import { createTestDatabase } from "../../../test/test-database.ts";
import pino from "pino";
import { verifyAudit } from "./audit-chain.repository.ts";
import { recordChange, recordChanges } from "./audit.repository.ts";
import { Sealer } from "./sealer.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let clock: ManualClock;
let heads: string[];
beforeEach(async () => {
  database = await createTestDatabase();
  clock = new ManualClock(new Date("2026-06-15T06:30:00Z"));
  heads = [];
});
afterEach(() => database.close());

const log = pino(
  { level: "info" },
  {
    write: (line) => {
      const { auditHead } = JSON.parse(line) as { auditHead?: string };
      if (auditHead !== undefined) heads.push(auditHead);
    },
  },
);
const makeSealer = () => new Sealer({ db: database.db, clock, log, settings: { mode: "production" } });
const rowOf = (name: string) => ({
  actor: { userId: null, name },
  action: "UPDATE",
  entity: "robot",
  entityId: 7,
  outcome: "DONE" as const,
  before: { speed: 10 },
  after: { speed: 20 },
  at: clock.now(),
});
const headOf = (text = heads.at(-1) ?? "") => {
  const [number = "", hash = ""] = text.split(":");
  return { number: Number(number), hash };
};
const seals = () =>
  database.db
    .selectFrom("audit_seals as s")
    .innerJoin("audit as a", "a.id", "s.audit_id")
    .select(["s.number", "a.actor"])
    .orderBy("s.number")
    .execute();

describe("audit, the chain", () => {
  test("committed rows are sealed in the next round, within a second, and the head is logged", async () => {
    const sealer = makeSealer();
    await sealer.start();
    // The starting round is over: new rows wait for the next one.
    await sealer.runOnce();
    await recordChanges(database.db, ["A", "B"].map(rowOf));
    clock.advance(1_000);
    await sealer.stop();
    expect(await seals()).toEqual([
      { number: 1, actor: "A" },
      { number: 2, actor: "B" },
    ]);
    expect(heads.at(-1)).toMatch(/^2:[0-9a-f]{64}$/);
    expect(await verifyAudit(database.db, headOf())).toEqual({
      wrong: null,
      proven: 2,
      beginning: null,
      head: headOf(),
      waiting: 0,
    });
  });

  test("a head is logged in production whatever the log level, and again at the next start", async () => {
    await recordChanges(database.db, [rowOf("A")]);
    const quiet = pino({ level: "error" }, { write: (line) => void heads.push(line) });
    const sealer = new Sealer({ db: database.db, clock, log: quiet, settings: { mode: "production" } });
    await sealer.start();
    await sealer.stop();
    expect(heads).toEqual([expect.stringMatching(/"auditHead":"1:[0-9a-f]{64}"/)]);
    await sealer.start();
    await sealer.stop();
    expect(heads).toHaveLength(2);
    await recordChanges(database.db, [rowOf("B")]);
    await new Sealer({ db: database.db, clock, log: quiet, settings: { mode: "demo" } }).runOnce();
    expect(heads).toHaveLength(2);
  });

  test("a row that commits late gets the next number, however early its id; numbers have no gap", async () => {
    const sealer = makeSealer();
    const late = await database.db.startTransaction().execute();
    await recordChange(late, rowOf("late"));
    await recordChange(database.db, rowOf("quick"));
    await sealer.runOnce();
    await late.commit().execute();
    await sealer.runOnce();
    expect(await seals()).toEqual([
      { number: 1, actor: "quick" },
      { number: 2, actor: "late" },
    ]);
    expect(await verifyAudit(database.db, headOf())).toMatchObject({ wrong: null, proven: 2 });
  });

  test("only one of many servers seals at a time: no number twice, none left out", async () => {
    const sealers = Array.from({ length: 4 }, makeSealer);
    for (let round = 0; round < 5; round += 1) {
      await Promise.all([
        recordChanges(
          database.db,
          Array.from({ length: 300 }, (_, index) => rowOf(`${round}-${index}`)),
        ),
        ...sealers.map((sealer) => sealer.runOnce()),
      ]);
    }
    await makeSealer().runOnce();
    expect((await seals()).map(({ number }) => number)).toEqual(Array.from({ length: 1_500 }, (_, index) => index + 1));
    expect(await verifyAudit(database.db, headOf())).toMatchObject({ wrong: null, proven: 1_500, waiting: 0 });
  });
});

describe("audit, the proof", () => {
  const tampers: readonly (readonly [name: string, tamper: string, wrong: RegExp])[] = [
    ["a changed word", "update audit set actor = 'X' where id = 2", /number 2 \(id 2\) differs from what was sealed/],
    [
      "a changed moment",
      "update audit set at = at + interval '1 microsecond' where id = 3",
      /number 3 .*differs from what was sealed/,
    ],
    [
      "a changed value in what was after",
      `update audit set after = '{"speed": 21}' where id = 1`,
      /number 1 .*differs from what was sealed/,
    ],
    ["a removed row", "delete from audit_seals where number = 2; delete from audit where id = 2", /Number 2 .*missing/],
    [
      "rows in another order",
      "delete from audit_seals where number = 4; update audit_seals set audit_id = 4 where number = 3",
      /number 3 .*differs from what was sealed/,
    ],
    [
      "the end cut off with its seals",
      "delete from audit_seals where number > 2; delete from audit where id > 2",
      /ends at number 2, before the given head 4/,
    ],
    [
      "a row that bypasses the chain",
      "delete from audit_unsealed; insert into audit (at, actor, action, entity, outcome) values (now(), 'X', 'Y', 'Z', 'DONE'); delete from audit_unsealed",
      /1 rows bypassed the chain/,
    ],
  ];
  test.each(tampers)("%s is detected", async (_, tamper, wrong) => {
    await recordChanges(database.db, ["A", "B", "C", "D"].map(rowOf));
    await makeSealer().runOnce();
    for (const statement of tamper.split("; ")) await sql.raw(statement).execute(database.db);
    expect((await verifyAudit(database.db, headOf())).wrong).toMatch(wrong);
  });

  test("a new chain over changed rows does not contain the head that was logged", async () => {
    await recordChanges(database.db, ["A", "B"].map(rowOf));
    await makeSealer().runOnce();
    const logged = headOf();
    await sql`update audit set actor = 'X' where id = 1`.execute(database.db);
    await sql`delete from audit_seals`.execute(database.db);
    await sql`insert into audit_unsealed select id from audit`.execute(database.db);
    await makeSealer().runOnce();
    expect((await verifyAudit(database.db, null)).wrong).toBeNull();
    expect((await verifyAudit(database.db, logged)).wrong).toMatch(/another hash than the given head/);
  });
});

describe("audit, cut at a sealed head (KEEP_AUDIT_DAYS)", () => {
  /** Rows of each of these days before now by PostgreSQL's clock, sealed on their day. */
  async function addDays(...daysAgo: number[]): Promise<void> {
    for (const days of daysAgo) {
      clock = new ManualClock(new Date(Date.now() - days * 86_400_000));
      await recordChanges(database.db, [`Day ${days}`, `Day ${days}, later`].map(rowOf));
      await makeSealer().runOnce();
    }
  }
  const keep = (days: number) => sql`update audit_retention set keep_days = ${days}`.execute(database.db);
  async function cut(): Promise<number | undefined> {
    const { rows } = await sql<{ rows: number }>`select cut_audit() as rows`.execute(database.db);
    return rows[0]?.rows;
  }
  const seal = () => makeSealer().runOnce();

  test("nothing is cut unless the owner has said how long the audit is kept", async () => {
    await addDays(900);
    await seal();
    expect(await cut()).toBe(0);
    await expect(keep(364)).rejects.toThrow(/check/);
  });

  test("what is older goes with its seals, the head stays and is on record, and the rest is proven from there", async () => {
    await addDays(900, 800, 500, 300);
    const before = await seals();
    const heads400 = await database.db.selectFrom("audit_seals").selectAll().orderBy("number").execute();
    await keep(400);
    expect(await cut()).toBe(6);
    await seal();
    expect((await seals()).map(({ actor }) => actor)).toEqual([
      ...before.slice(6).map(({ actor }) => actor),
      "Suncrew",
    ]);
    const head = heads400[5]?.hash.toString("hex") ?? "";
    const verdict = await verifyAudit(database.db, headOf());
    expect(verdict).toMatchObject({
      wrong: null,
      proven: 3,
      beginning: { number: 6, hash: head },
      head: { number: 9 },
    });
    const [record] = await database.db.selectFrom("audit").selectAll().where("action", "=", "CUT_AUDIT").execute();
    expect(record).toMatchObject({
      actor: "Suncrew",
      entity: "audit",
      after: { rows: 6, kept_days: 400, head: `6:${head}` },
    });
    // A head that was logged before the cut is part of it, or not.
    expect((await verifyAudit(database.db, { number: 6, hash: head })).wrong).toBeNull();
    expect((await verifyAudit(database.db, { number: 6, hash: "0".repeat(64) })).wrong).toMatch(
      /cut at number 6 with another hash/,
    );
    // Once a day at most.
    expect(await cut()).toBe(0);
  });

  test("the chain that goes on after a cut is cut again from there, and its newest seal always stays", async () => {
    await addDays(900, 700);
    await keep(800);
    expect(await cut()).toBe(2);
    await keep(400);
    // The record of the first cut is not sealed yet.
    expect(await cut()).toBe(1);
    await seal();
    expect(await verifyAudit(database.db, headOf())).toMatchObject({ wrong: null, beginning: { number: 3 } });
    await sql`update audit_seals set sealed_at = now() - interval '2000 days'`.execute(database.db);
    await sql`update audit set at = now() - interval '2000 days'`.execute(database.db);
    await cut();
    expect(await seals()).toHaveLength(1);
  });

  test("a row in between that is younger than its seal says keeps all that follows it", async () => {
    await addDays(900, 800, 700);
    await sql`update audit set at = now() where id = 3`.execute(database.db);
    await keep(400);
    expect(await cut()).toBe(2);
  });

  test("names and reasons that only removed rows had are not found any more, others are", async () => {
    for (const [days, name] of [
      [900, "Old"],
      [300, "New"],
    ] as const) {
      clock = new ManualClock(new Date(Date.now() - days * 86_400_000));
      await recordChange(
        database.db,
        { ...rowOf("A"), entity: "partner", entityId: days, before: { name }, after: { name } },
        `Because ${name}`,
      );
      await seal();
    }
    await keep(400);
    await cut();
    const texts = async (table: "audit_names" | "audit_reasons") =>
      (await database.db.selectFrom(table).select("words").execute()).map(({ words }) => words);
    expect(await texts("audit_reasons")).toEqual(["because new"]);
    expect(await texts("audit_names")).not.toContain("old");
  });

  const byHand: [string, string, RegExp][] = [
    [
      "without moving the beginning",
      "delete from audit_seals where number <= 2; delete from audit where id <= 2",
      /Number 1 .*missing/,
    ],
    [
      "with a beginning that no record has",
      "insert into audit_beginning (number, hash, sealed_at, cut_at) select number, hash, sealed_at, now() from audit_seals where number = 2; delete from audit_seals where number <= 2; delete from audit where id <= 2",
      /begins after number 2, but no record/,
    ],
  ];
  test.each(byHand)("a cut by hand %s is detected", async (_, tamper, wrong) => {
    await addDays(900, 300);
    for (const statement of tamper.split("; ")) await sql.raw(statement).execute(database.db);
    expect((await verifyAudit(database.db, null)).wrong).toMatch(wrong);
  });

  test("more than is cut at a time goes in further cuts", async () => {
    await sql`insert into audit (at, actor, action, entity, outcome)
      select now() - interval '900 days', 'A', 'B', 'c', 'DONE' from generate_series(1, 20010)`.execute(database.db);
    clock = new ManualClock(new Date(Date.now() - 900 * 86_400_000));
    await seal();
    await addDays(300);
    await keep(400);
    expect([await cut(), await cut(), await cut()]).toEqual([20_000, 10, 0]);
    await seal();
    expect((await verifyAudit(database.db, null)).wrong).toBeNull();
  });
});
