import type { Executor } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { demoRobots } from "../demo-robots.ts";
import type { Person } from "./past-people.ts";
import type { RobotOfPast } from "./past-robot.ts";

/** The robots made by hand, as they stand in the data, with the zone of their site. */
export async function readRobots(db: Executor): Promise<(RobotOfPast & { readonly timezone: string })[]> {
  const serials = demoRobots.map(({ serial }) => serial);
  const rows = await db
    .selectFrom("robots")
    .innerJoin("sites", "sites.id", "robots.site_id")
    .where("robots.serial_number", "in", serials)
    .select(["robots.id", "robots.site_id as siteId", "robots.serial_number as serial", "sites.timezone"])
    .orderBy("robots.id")
    .execute();
  return rows.flatMap((row) => {
    const demo = demoRobots.find(({ serial }) => serial === row.serial);
    return demo === undefined ? [] : { ...row, firmware: demo.firmware, mode: demo.mode };
  });
}

export interface People {
  readonly admin: Viewer;
  /** Who works with the robots of a site: its partner's user where there is one. */
  readonly personAt: (siteId: number) => Person;
}

export async function readPeople(db: Executor): Promise<People> {
  const users = await db.selectFrom("users").select(["id", "name", "email", "role", "partner_id"]).execute();
  const sites = await db.selectFrom("sites").select(["id", "maintenance_partner_id"]).execute();
  const admin = users.find(({ role }) => role === "SUPER_ADMIN");
  if (admin === undefined) throw new Error("The demo has no Super Admin.");
  return {
    admin: {
      userId: admin.id,
      name: admin.name,
      email: admin.email,
      role: "SUPER_ADMIN",
      partnerId: null,
      sessionId: "",
    },
    personAt(siteId) {
      const partnerId = sites.find(({ id }) => id === siteId)?.maintenance_partner_id ?? null;
      const own = partnerId === null ? undefined : users.find((user) => user.partner_id === partnerId);
      const { id, name } = own ?? admin;
      return { userId: id, name, actionType: "MANUAL" };
    },
  };
}
