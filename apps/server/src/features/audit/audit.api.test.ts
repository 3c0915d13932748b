import { expect, test } from "vitest";
import { createTestDatabase } from "../../../test/test-database.ts";
import { recordAudit } from "./audit.writes.ts";

test("an audit row keeps what changed and leaves out every secret, however deep", async () => {
  const database = await createTestDatabase();
  const at = new Date("2026-06-15T06:30:00Z");
  await recordAudit(database.db, {
    actor: { userId: null, name: "Suncrew" },
    action: "UPDATE",
    entity: "partner",
    entityId: 7,
    outcome: "DONE",
    before: { name: "A", password_hash: "p1" },
    after: {
      name: "B",
      enc_password: "p2",
      devices: [{ serial: "S", secret_sha256: "p3" }],
      list: [{ newPassword: "p4", token: "p5" }],
      at,
    },
    at,
  });
  const row = await database.db.selectFrom("audit").selectAll().executeTakeFirstOrThrow();
  await database.close();
  expect(row).toMatchObject({
    at,
    actor: "Suncrew",
    entity_id: "7",
    before: { name: "A" },
    after: { name: "B", devices: [{ serial: "S" }], list: [{}], at: at.toISOString() },
  });
  expect(JSON.stringify(row)).not.toMatch(/p[1-5]"/);
});
