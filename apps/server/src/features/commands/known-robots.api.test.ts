import { sql } from "kysely";
import { expect, test } from "vitest";
import { addSite } from "../../../test/fixtures.ts";
import { createTestDatabase } from "../../../test/test-database.ts";
import { readKnownRobots } from "./known-robots.repository.ts";

test("protocol rule 3: a Stop without the database knows every robot of a large fleet, in the order of their names", async () => {
  const database = await createTestDatabase();
  const { db } = database;
  try {
    const siteId = await addSite(db, "Large Park", null);
    for (const robots of [999, 1_000]) {
      const numbers = sql`generate_series((select count(*) from robots) + 1, ${robots}::int) n`;
      await sql`insert into devices (serial, secret_sha256)
        select 'LARGE-' || n, decode(repeat('00', 32), 'hex') from ${numbers}`.execute(db);
      await sql`insert into robots (robot_name, serial_number, site_id, installation_date)
        select 'Robot ' || 2000 - n, 'LARGE-' || n, ${siteId}, '2024-02-29' from ${numbers}`.execute(db);
      const known = await readKnownRobots(db);
      expect(known.map(({ serial }) => serial)).toEqual(
        Array.from({ length: robots }, (_, nth) => `LARGE-${robots - nth}`),
      );
    }
  } finally {
    await database.close();
  }
});
