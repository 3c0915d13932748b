import { type Measurement, timeKeyOf } from "@suncrew/domain/measurements/measurement-rows.ts";
import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";

export interface StoredCounts {
  readonly added: number;
  readonly replaced: number;
  readonly unchanged: number;
}

/**
 * Stores measurements of a site, each time once: a figure replaces the one that is there, none leaves it. In the order of
 * time, so that two calls for the same site wait for each other rather than for ever.
 */
export async function storeMeasurements(
  tx: Tx,
  siteId: number,
  measurements: readonly Measurement[],
  now: Date,
): Promise<StoredCounts> {
  const rows = measurements
    .toSorted((one, other) => timeKeyOf(one).localeCompare(timeKeyOf(other)))
    .map((one) => ({ ...one, site_id: siteId, received_at: now }));
  const { rows: counted } = await sql<{ added: number; replaced: number }>`
    with written as (insert into site_measurements as m
    select * from json_populate_recordset(null::site_measurements, ${JSON.stringify(rows)}::json)
    on conflict (site_id, resolution, starts_at) do update set
      inverter_energy_kwh = coalesce(excluded.inverter_energy_kwh, m.inverter_energy_kwh),
      meter_energy_kwh = coalesce(excluded.meter_energy_kwh, m.meter_energy_kwh),
      control_energy_kwh = coalesce(excluded.control_energy_kwh, m.control_energy_kwh),
      soiling_ratio = coalesce(excluded.soiling_ratio, m.soiling_ratio),
      curtailed = coalesce(excluded.curtailed, m.curtailed),
      received_at = excluded.received_at
    where (coalesce(excluded.inverter_energy_kwh, m.inverter_energy_kwh), coalesce(excluded.meter_energy_kwh, m.meter_energy_kwh),
        coalesce(excluded.control_energy_kwh, m.control_energy_kwh), coalesce(excluded.soiling_ratio, m.soiling_ratio), coalesce(excluded.curtailed, m.curtailed))
      is distinct from (m.inverter_energy_kwh, m.meter_energy_kwh, m.control_energy_kwh, m.soiling_ratio, m.curtailed)
    returning (xmax = 0) as is_new)
    select count(*) filter (where is_new) as added, count(*) filter (where not is_new) as replaced
    from written`.execute(tx);
  const { added, replaced } = counted[0] ?? { added: 0, replaced: 0 };
  return { added, replaced, unchanged: rows.length - added - replaced };
}

/** Deletes what was measured from an instant on and before another; returns how many. */
export async function deleteMeasurements(
  tx: Tx,
  siteId: number,
  { from, before }: { readonly from: Date; readonly before: Date },
): Promise<number> {
  const deleted = await tx
    .deleteFrom("site_measurements")
    .where("site_id", "=", siteId)
    .where("starts_at", ">=", from)
    .where("starts_at", "<", before)
    .executeTakeFirst();
  return Number(deleted.numDeletedRows);
}
