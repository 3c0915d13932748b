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
    expect(await verifyAudit(database.db, headOf())).toEqual({ wrong: null, proven: 2, head: headOf(), waiting: 0 });
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
