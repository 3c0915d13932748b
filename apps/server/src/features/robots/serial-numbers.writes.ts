import type { SerialNumber } from "@suncrew/contract/robots/robot-forms.ts";
import { sql } from "kysely";
import type { Db } from "../../platform/database/database.ts";

const inOrder = new Intl.Collator("en", { numeric: true });

/**
 * §3 Assignable serial numbers: every device that is not retired, in natural order, and whether a robot has it. Over
 * all sites, whoever asks, and naming none: two partners must not choose one device.
 */
export async function readSerialNumbers(db: Db): Promise<SerialNumber[]> {
  const rows = await db
    .selectFrom("devices as d")
    .leftJoin("robots as r", (join) => join.onRef("r.serial_number", "=", "d.serial").on("r.deleted_at", "is", null))
    .select(["d.serial as serial_number", sql<boolean>`r.id is not null`.as("assigned")])
    .where("d.retired_at", "is", null)
    .execute();
  return rows.toSorted((one, other) => inOrder.compare(one.serial_number, other.serial_number));
}
