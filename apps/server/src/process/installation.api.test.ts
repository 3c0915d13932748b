import { expect, test } from "vitest";
import { createTestDatabase } from "../../test/test-database.ts";
import { createFirstAdmin } from "./installation.repository.ts";

test("set-up: of servers that start concurrently on an empty database one creates the Super Admin, and none fails", async () => {
  const database = await createTestDatabase();
  const { db } = database;
  try {
    const made = await Promise.all(Array.from({ length: 4 }, () => createFirstAdmin(db, "admin", null)));
    expect(made.filter((admin) => admin !== null)).toHaveLength(1);
    expect(await db.selectFrom("users").select(["username", "role"]).execute()).toEqual([
      { username: "admin", role: "SUPER_ADMIN" },
    ]);
  } finally {
    await database.close();
  }
});

test("set-up: a weak ADMIN_PASSWORD creates no Super Admin; if there is one already, it is ignored", async () => {
  const database = await createTestDatabase();
  const { db } = database;
  try {
    for (const weak of ["sunshine1", "Suncrew2026!", "operator-1"]) {
      await expect(createFirstAdmin(db, "operator", weak)).rejects.toThrow(/^ADMIN_PASSWORD is not acceptable\. /);
    }
    expect(await createFirstAdmin(db, "operator", "evening rain 77")).toEqual({
      username: "operator",
      generatedPassword: null,
    });
    expect(await createFirstAdmin(db, "operator", "sunshine1")).toBeNull();
  } finally {
    await database.close();
  }
});
