import type { WeatherMessage } from "@suncrew/contract/devices/messages.ts";
import { type Selectable, sql } from "kysely";
import type { Executor, Tx } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";

export type StoredSensor = Selectable<Tables["site_sensors"]>;

/** Null for a site without one. */
export async function readSensor(db: Executor, siteId: number): Promise<StoredSensor | null> {
  const sensor = await db.selectFrom("site_sensors").selectAll().where("site_id", "=", siteId).executeTakeFirst();
  return sensor ?? null;
}

/** A device that is to be the sensor of a site. */
export interface SensorDevice {
  readonly partnerId: number;
  readonly isRetired: boolean;
  /** The partner of the site. */
  readonly sitePartnerId: number | null;
  /** Who has the device: robots that are not deleted, and sites as their sensor. */
  readonly holders: readonly {
    readonly siteId: number;
    readonly sitePartnerId: number | null;
    readonly isRobot: boolean;
  }[];
}

/** Locks the device against assignment to a robot, another site or partner; null if it was never provisioned. */
export async function lockSensorDevice(tx: Tx, siteId: number, serial: string): Promise<SensorDevice | null> {
  const device = await tx
    .selectFrom("devices")
    .select(["partner_id as partnerId", sql<boolean>`retired_at is not null`.as("isRetired")])
    .where("serial", "=", serial)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (device === undefined) return null;
  // Read after locking: a query that waited for the lock would miss a robot added in the meantime.
  const { rows: holders } = await sql<SensorDevice["holders"][number]>`
    select h.site_id as "siteId", s.maintenance_partner_id as "sitePartnerId", h.is_robot as "isRobot"
    from (
      select site_id, true as is_robot from robots where serial_number = ${serial} and deleted_at is null
      union all select site_id, false from site_sensors where serial = ${serial}
    ) h join sites s on s.id = h.site_id`.execute(tx);
  const site = await tx
    .selectFrom("sites")
    .select("maintenance_partner_id")
    .where("id", "=", siteId)
    .executeTakeFirst();
  return { ...device, sitePartnerId: site?.maintenance_partner_id ?? null, holders };
}

/** In place of the site's former sensor, without a reading: sessions of another machine say nothing about this one's. */
export async function storeSensor(tx: Tx, siteId: number, serial: string, at: Date): Promise<void> {
  await freeSensor(tx, siteId);
  await tx.insertInto("site_sensors").values({ site_id: siteId, serial, assigned_at: at }).execute();
}

export async function freeSensor(tx: Tx, siteId: number): Promise<void> {
  await tx.deleteFrom("site_sensors").where("site_id", "=", siteId).execute();
}

/** The newest reading of a device, as it arrived. */
export interface ReceivedReading {
  readonly serial: string;
  readonly message: WeatherMessage;
  readonly receivedAt: Date;
}

/**
 * Stores readings that are newer than what is known of their sensors (protocol rule 7). Returns which of the devices are
 * the sensors of sites; those of retired ones are not stored.
 */
export async function recordReadings(tx: Tx, readings: readonly ReceivedReading[]): Promise<ReadonlySet<string>> {
  if (readings.length === 0) return new Set();
  const known = await tx
    .selectFrom("site_sensors as s")
    .innerJoin("devices as d", "d.serial", "s.serial")
    .select("s.serial")
    .where("s.serial", "=", sql<string>`any(${readings.map(({ serial }) => serial)}::text[])`)
    .where("d.retired_at", "is", null)
    // All writers lock rows in this order.
    .orderBy("s.serial")
    .forNoKeyUpdate("s")
    .execute();
  const sensors = new Set(known.map(({ serial }) => serial));
  const rows = readings.flatMap(({ serial, message, receivedAt }) =>
    sensors.has(serial) ? [{ serial, ...message, received_at: receivedAt }] : [],
  );
  if (rows.length === 0) return sensors;
  await sql`
    update site_sensors s set session = n.session, seq = n.seq, received_at = n.received_at, sensor_ts = n.ts,
      gust_kmh = n.gust_kmh, rain_mm_h = n.rain_mm_h, temperature_c = n.temperature_c
    from json_to_recordset(${JSON.stringify(rows)}::json) n (serial text, session bigint, seq bigint,
      received_at timestamptz, ts timestamptz, gust_kmh real, rain_mm_h real, temperature_c real)
    where s.serial = n.serial and (s.session, s.seq) < (n.session, n.seq)`.execute(tx);
  return sensors;
}
