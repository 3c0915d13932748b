import type { Device } from "@suncrew/contract/devices/devices.ts";
import type { Executor } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { visibleSites } from "../sites/public.ts";

const inOrder = new Intl.Collator("en", { numeric: true });

/** Every provisioned device in natural order, with the robot that uses it if the viewer can see its site. */
export async function readDevices(viewer: Viewer, db: Executor): Promise<Device[]> {
  const robots = visibleSites(viewer, db)
    .innerJoin("robots as r", "r.site_id", "sites.id")
    .innerJoin("robot_state as s", "s.robot_id", "r.id")
    .where("r.deleted_at", "is", null)
    .select(["r.id", "r.robot_name", "r.serial_number", "r.site_id", "sites.name as site_name", "s.online"]);
  const sensors = visibleSites(viewer, db)
    .innerJoin("site_sensors as n", "n.site_id", "sites.id")
    .select(["n.serial", "n.site_id", "sites.name as site_name"]);
  const rows = await db
    .selectFrom("devices as d")
    .innerJoin("partners as p", "p.id", "d.partner_id")
    .leftJoin(robots.as("robot"), "robot.serial_number", "d.serial")
    .leftJoin(sensors.as("sensor"), "sensor.serial", "d.serial")
    .select(["sensor.site_id as sensor_site_id", "sensor.site_name as sensor_site_name"])
    .select(["p.id as partner_id", "p.name as partner_name"])
    .select(["d.serial", "d.created_at", "d.secret_at", "d.retired_at", "d.broker_pending", "d.secret_unsure_at"])
    .select(["robot.id", "robot.robot_name", "robot.site_id", "robot.site_name", "robot.online"])
    .execute();
  return rows
    .map(({ serial, partner_id, partner_name, created_at, secret_at, retired_at, broker_pending, ...row }) => ({
      serial,
      partner: { id: partner_id, name: partner_name },
      created_at: created_at.toISOString(),
      secret_at: secret_at.toISOString(),
      retired_at: retired_at?.toISOString() ?? null,
      broker_pending: broker_pending !== null,
      secret_unsure: row.secret_unsure_at !== null,
      robot: robotOf(row),
      sensor_of:
        row.sensor_site_id === null || row.sensor_site_name === null
          ? null
          : { site_id: row.sensor_site_id, site_name: row.sensor_site_name },
    }))
    .toSorted((one, other) => inOrder.compare(one.serial, other.serial));
}

type RobotColumns = Record<"id" | "site_id", number | null> &
  Record<"robot_name" | "site_name", string | null> & { readonly online: boolean | null };

function robotOf({ id, robot_name: name, site_id, site_name, online }: RobotColumns): Device["robot"] {
  if (id === null || name === null || site_id === null || site_name === null) return null;
  return { id, name, site_id, site_name, online: online === true };
}
