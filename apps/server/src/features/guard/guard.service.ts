import {
  type assignSensor,
  GUARD_FIELDS,
  type removeSensor,
  type siteGuard,
  type updateSiteGuard,
} from "@suncrew/contract/guard/site-guard.ts";
import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import { guardStateOf, hasLimits, hoursThatCount, isFreshReading } from "@suncrew/domain/guard/weather-guard.ts";
import { type SerialBlockedReason, serialBlockedReason } from "@suncrew/domain/devices/serial-numbers.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { conflict, editConflict, type HttpError, invalid } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { clearSiteAlerts } from "../alerts/public.ts";
import type { Tx } from "../../platform/database/database.ts";
import { auditedChange } from "../audit/public.ts";
import { requireSite } from "../sites/public.ts";
import {
  freeSensor,
  lockSensorDevice,
  readSensor,
  type SensorDevice,
  storeSensor,
  type StoredSensor,
} from "./sensors.repository.ts";
import {
  changeGuard,
  lockGuard,
  readGuard,
  type ReadHours,
  readPassedSince,
  type StoredGuard,
} from "./guard.repository.ts";

/** The weather limits of sites, as people see and change them. */
export class SiteGuards {
  readonly #deps: Pick<Dependencies, "db" | "clock">;
  readonly #readHours: ReadHours;

  constructor(deps: Pick<Dependencies, "db" | "clock">, readHours: ReadHours) {
    this.#deps = deps;
    this.#readHours = readHours;
  }

  /** Throws 404. */
  async read(viewer: Viewer, siteId: number): Promise<ResponseOf<typeof siteGuard>> {
    const { db, clock } = this.#deps;
    await requireSite(viewer, db, siteId);
    const now = clock.now();
    const { from, to } = hoursThatCount(now);
    const guard = await readGuard(db, siteId);
    const hours = (await this.#readHours(db, [siteId], from, to)).get(siteId) ?? [];
    const { without_sensor, ...limits } = rulesOf(guard);
    const judged = { verdict: guard?.verdict ?? null, judgedAt: guard?.judged_at ?? null };
    const received = hours.flatMap(({ weather_received_at: at }) => at ?? []);
    const state = hasLimits(limits) ? guardStateOf({ ...judged, passed: guard?.passed ?? null }, now) : null;
    const isPassed = state?.verdict === "PASSED";
    return {
      site_id: siteId,
      ...limits,
      without_sensor,
      version: guard?.version ?? 0,
      state,
      passed_since: isPassed ? ((await readPassedSince(db, siteId))?.toISOString() ?? null) : null,
      within_since: isPassed ? (guard?.within_since?.toISOString() ?? null) : null,
      judged_at: judged.judgedAt?.toISOString() ?? null,
      forecast_at:
        received
          .toSorted((one, other) => one.getTime() - other.getTime())
          .at(-1)
          ?.toISOString() ?? null,
      sensor: sensorOf(await readSensor(db, siteId), now),
      forecast_source: received.length === 0 ? null : (hours[0]?.source ?? null),
      hours: hours.map(({ at, gust_kmh, rain_mm, temperature_c }) => ({
        at: at.toISOString(),
        gust_kmh,
        rain_mm,
        temperature_c,
      })),
    };
  }

  /** Throws 404, and 409 if somebody else has changed them since. */
  async update(viewer: Viewer, siteId: number, body: BodyOf<typeof updateSiteGuard>): Promise<void> {
    const at = this.#deps.clock.now();
    const change = { actor: viewer, action: "UPDATE_WEATHER_LIMITS", entity: "site", entityId: siteId, siteId, at };
    await auditedChange(this.#deps.db, change, async (tx, details) => {
      await requireSite(viewer, tx, siteId);
      const stored = await lockGuard(tx, siteId);
      const before = rulesOf(stored);
      const after = rulesOf({ ...body, without_sensor: body.without_sensor ?? before.without_sensor });
      details.before = before;
      details.after = after;
      if (body.version !== undefined && body.version !== (stored?.version ?? 0)) throw editConflict("site");
      if (RULE_FIELDS.every((field) => before[field] === after[field])) {
        details.rows = [];
        return;
      }
      await changeGuard(tx, siteId, after);
      // Nobody judges a site without limits.
      if (!hasLimits(after)) await clearSiteAlerts(tx, [siteId], "WEATHER_LIMIT", at);
    });
  }

  /**
   * Makes a free device the site's weather sensor; what its former one measured is forgotten. Throws 404 (no such site),
   * 400 (no such device) and 409 (retired, in use, or another partner's).
   */
  async assignSensor(viewer: Viewer, siteId: number, serial: string): Promise<ResponseOf<typeof assignSensor>> {
    return this.#changeSensor(viewer, siteId, "ASSIGN_SENSOR", async (tx, before, at) => {
      const refusal = sensorRefusal(viewer, siteId, serial, await lockSensorDevice(tx, siteId, serial));
      if (refusal !== null) throw refusal;
      if (before !== serial) await storeSensor(tx, siteId, serial, at);
      return { serial, message: `Device ${serial} is the site's weather sensor` };
    });
  }

  /** Throws 404. */
  async removeSensor(viewer: Viewer, siteId: number): Promise<ResponseOf<typeof removeSensor>> {
    return this.#changeSensor(viewer, siteId, "REMOVE_SENSOR", async (tx) => {
      await freeSensor(tx, siteId);
      return { serial: null, message: "The site has no weather sensor" };
    });
  }

  #changeSensor(
    viewer: Viewer,
    siteId: number,
    action: "ASSIGN_SENSOR" | "REMOVE_SENSOR",
    work: (tx: Tx, before: string | null, at: Date) => Promise<{ serial: string | null; message: string }>,
  ): Promise<{ message: string }> {
    const at = this.#deps.clock.now();
    const change = { actor: viewer, action, entity: "site", entityId: siteId, siteId, at };
    return auditedChange(this.#deps.db, change, async (tx, details) => {
      await requireSite(viewer, tx, siteId);
      await lockGuard(tx, siteId);
      const before = (await readSensor(tx, siteId))?.serial ?? null;
      details.before = { sensor: before };
      const { serial, message } = await work(tx, before, at);
      details.after = { sensor: serial };
      // Who takes away what is not there has done so, too.
      if (before !== null && before === serial) details.rows = [];
      return { message };
    });
  }
}

const RULE_FIELDS = [...GUARD_FIELDS, "without_sensor"] as const;
type Rules = Pick<StoredGuard, (typeof RULE_FIELDS)[number]>;

function rulesOf(guard: Rules | null): Rules {
  return {
    max_gust_kmh: guard?.max_gust_kmh ?? null,
    max_rain_mm: guard?.max_rain_mm ?? null,
    min_temperature_c: guard?.min_temperature_c ?? null,
    max_temperature_c: guard?.max_temperature_c ?? null,
    without_sensor: guard?.without_sensor ?? "FORECAST",
  };
}

function sensorOf(sensor: StoredSensor | null, now: Date): ResponseOf<typeof siteGuard>["sensor"] {
  if (sensor === null) return null;
  const { serial, assigned_at, received_at: at, gust_kmh, rain_mm_h, temperature_c } = sensor;
  return {
    serial,
    assigned_at: assigned_at.toISOString(),
    received_at: at?.toISOString() ?? null,
    age_s: at === null ? null : Math.max(0, Math.round((now.getTime() - at.getTime()) / 1_000)),
    fresh: isFreshReading(sensor, now),
    gust_kmh,
    rain_mm_h,
    temperature_c,
  };
}

/** For an account without a partner, which has no devices. */
const NO_PARTNER = 0;

/** Why the device cannot be the site's sensor; null if it can. Names no site, because it may be another partner's. */
function sensorRefusal(viewer: Viewer, siteId: number, serial: string, device: SensorDevice | null): HttpError | null {
  const askingPartnerId = viewer.role === "SUPER_ADMIN" ? null : (viewer.partnerId ?? NO_PARTNER);
  const holder = device?.holders.find((each) => each.siteId !== siteId || each.isRobot) ?? null;
  const reason = serialBlockedReason({
    askingPartnerId,
    sitePartnerId: device?.sitePartnerId ?? null,
    device,
    otherRobot: holder,
  });
  const refusals: Record<SerialBlockedReason, () => HttpError> = {
    unknown: () =>
      invalid("serial_number", `${serial} is not the serial number of a device that you may use.`, "SERIAL_UNKNOWN"),
    retired: () => conflict("DEVICE_RETIRED", `The device ${serial} has been retired.`),
    taken: () => conflict("DEVICE_ASSIGNED", `A robot or another site already has the device ${serial}.`),
    "another partner's": () =>
      conflict(
        "DEVICE_OF_OTHER_PARTNER",
        `The device ${serial} is allocated to a partner that does not maintain this site.`,
      ),
  };
  return reason === null ? null : refusals[reason]();
}
