import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { OpenDatabase } from "../src/platform/database/database.ts";
import { repositoryDir } from "../src/process/data-folder.ts";
import { checkedValues, contractTypes, databaseTypes, TYPES_FILE } from "./database-types.ts";
import { createTestDatabase } from "./test-database.ts";

let database: OpenDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

test("set-up: the types of the tables match the migrations", async () => {
  const written = await readFile(join(repositoryDir, TYPES_FILE), "utf8");
  expect(await databaseTypes(database.db), "Run `npm run database-types`").toBe(written);
});

test("set-up: a column accepts exactly the values of its type in the contract", async () => {
  const checked = await checkedValues(database.db);
  for (const [column, [name, , values]] of contractTypes) {
    // Rows of readings repeat what robot_state has checked.
    if (column.startsWith("readings.")) continue;
    expect(checked.get(column)?.toSorted(), `${column} is a ${name}`).toEqual([...values].toSorted());
  }
});
