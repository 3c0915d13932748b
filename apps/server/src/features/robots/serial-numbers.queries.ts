import type { SerialNumber } from "@suncrew/contract/robots/robot-forms.ts";
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { visibleSites } from "../sites/public.ts";

const inOrder = new Intl.Collator("en", { numeric: true });

/**
 * §3 Assignable serial numbers: those devices that are not retired, in natural order, and whether a robot has each; every
 * one for a Super Admin, for a partner those of its robots and those that are allocated to it.
 */
export async function readSerialNumbers(viewer: Viewer, db: Executor): Promise<SerialNumber[]> {
  const robots = visibleSites(viewer, db)
    .innerJoin("robots as r", "r.site_id", "sites.id")
    .where("r.deleted_at", "is", null)
    .select("r.serial_number");
  const rows = await db
    .selectFrom("devices as d")
    .leftJoin(robots.as("robot"), "robot.serial_number", "d.serial")
    .select(["d.serial as serial_number", sql<boolean>`robot.serial_number is not null`.as("assigned")])
    .where("d.retired_at", "is", null)
    .$if(viewer.role !== "SUPER_ADMIN", (query) =>
      query.where((eb) =>
        eb.or([eb("robot.serial_number", "is not", null), eb("d.partner_id", "=", viewer.partnerId ?? NO_PARTNER)]),
      ),
    )
    .execute();
  return rows.toSorted((one, other) => inOrder.compare(one.serial_number, other.serial_number));
}

/** Whose account has no partner has no devices. */
const NO_PARTNER = 0;
