import type { SiteSoiling } from "@suncrew/contract/soiling/soiling.ts";
import type { Role } from "@suncrew/contract/auth/auth.ts";
import type { siteGuard } from "@suncrew/contract/guard/site-guard.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import type { Group } from "@suncrew/contract/groups/groups.ts";
import type { LiveEvent } from "@suncrew/contract/live/live.ts";
import type { Partner } from "@suncrew/contract/partners/partners.ts";
import type { RobotLive, RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import type { Weather } from "@suncrew/contract/weather/weather.ts";
import { noEnergyFacts } from "@suncrew/domain/sites/site-energy-facts.ts";
import { robotLive, robotRow } from "../src/features/robots/test/robot-rows.ts";

export const BHADLA = "Bhadla Solar Park";
export const CHARANKA = "Charanka Solar Park";
export const REWA = "Rewa Ultra Mega Solar";

/** A healthy site with two robots. */
export function sampleSite(change: Partial<Site> = {}): Site {
  return {
    id: 1,
    name: BHADLA,
    address: "Bhadla, Phalodi tehsil",
    district: "Jodhpur",
    state: "Rajasthan",
    pin_code: "342301",
    commissioning_date: "2017-02-22",
    maintenance_partner_id: 2,
    maintenance_contact: null,
    maintenance_contact_name: null,
    maintenance_email: null,
    latitude: 27.539669,
    longitude: 71.915253,
    timezone: "Asia/Kolkata",
    partner_name: "SunCare Services",
    partner_contact: "+91 98290 41276",
    status: "normal",
    robot_count: 2,
    active_robots: 0,
    online_robots: 2,
    may_be_moving_robots: 0,
    version: 1,
    ...noEnergyFacts,
    ...change,
  };
}

export const sampleSites: readonly Site[] = [
  sampleSite(),
  sampleSite({ id: 2, name: CHARANKA, district: "Patan", state: "Gujarat", latitude: 23.9, longitude: 71.2 }),
  sampleSite({ id: 3, name: REWA, district: "Rewa", state: "Madhya Pradesh", latitude: 24.5, longitude: 81.6 }),
];

/** Two robots of each site: online, idle, recently heard of, and in use for long. */
export const sampleRobots: readonly RobotWithSettings[] = sampleSites.flatMap(({ id: siteId }) =>
  [1, 2].map((nth) => {
    const robotId = 10 * siteId + nth;
    const serial = `SCR-10${robotId}`;
    return robotRow({
      robot_id: robotId,
      site_id: siteId,
      robot_name: `Row ${nth}`,
      serial_number: serial,
      last_updated_at: new Date().toISOString(),
      last_cleaned_at: new Date(Date.now() - 3_600_000).toISOString(),
    });
  }),
);

/** The part of a robot that the live stream carries. */
export function livePart(robot: RobotWithSettings): RobotLive {
  const { robot_name: _, motor_type: _motor, control_type: _control, installation_date: _installed, ...live } = robot;
  return robotLive(live);
}

/** The live stream's current snapshot, if the sample sites have these robots. */
export function fleetSnapshot(robots: readonly RobotWithSettings[]): LiveEvent {
  return { type: "snapshot", at: new Date().toISOString(), robots: robots.map(livePart), sites: [...sampleSites] };
}

export function samplePartner(change: Partial<Partner> = {}): Partner {
  return {
    id: 2,
    name: "SunCare Services",
    contact_person: "Asha Rathore",
    contact_info: "+91 98290 41276",
    email: "asha@suncare.example",
    address: "14 Residency Road",
    city: "Jodhpur",
    state: "Rajasthan",
    zip_code: "342003",
    country: "INDIA",
    tax_id: null,
    registration: null,
    certifications: null,
    status: "ACTIVE",
    created_at: "2026-01-05T06:00:00.000Z",
    username: "partner",
    user_id: 2,
    enc_password: null,
    built_in: false,
    version: 1,
    ...change,
  };
}

export const samplePartners: readonly Partner[] = [
  samplePartner({ id: 1, name: "In-house", username: null, user_id: null, built_in: true }),
  samplePartner(),
];

export function sampleGroup(change: Partial<Group> = {}): Group {
  return {
    id: 5,
    group_name: "East Row",
    site_id: 1,
    robots: [{ id: 11 }],
    created_at: "2026-01-05T06:00:00.000Z",
    schedule_type: null,
    schedule_details: null,
    version: 1,
    ...change,
  };
}

/** Without limits, on a calm day. */
export function siteGuardOf(change: Partial<ResponseOf<typeof siteGuard>> = {}): ResponseOf<typeof siteGuard> {
  const ends = Math.ceil(Date.now() / 3_600_000) * 3_600_000;
  const hourOf = (nth: number, gust_kmh: number) => ({
    at: new Date(ends + nth * 3_600_000).toISOString(),
    gust_kmh,
    rain_mm: 0,
    temperature_c: 31,
  });
  return {
    site_id: 1,
    max_gust_kmh: null,
    max_rain_mm: null,
    min_temperature_c: null,
    max_temperature_c: null,
    without_sensor: "FORECAST",
    version: 0,
    state: null,
    passed_since: null,
    within_since: null,
    judged_at: null,
    forecast_at: new Date(Date.now() - 1_200_000).toISOString(),
    forecast_source: "open-meteo",
    // One more than counts: the hour may turn during a test.
    hours: [hourOf(0, 23.4), hourOf(1, 31), hourOf(2, 31)],
    sensor: null,
    ...change,
  };
}

/** Dry for the days that count, so that cleaning is recommended. */
export function sampleWeather(change: Partial<Weather> = {}): Weather {
  const days = ["15", "16", "17", "18", "19", "20", "21"];
  return {
    current: {
      temperature: 34,
      description: "Clear sky",
      icon: "clear",
      humidity: 28,
      wind_speed: 12,
      pressure: 1006,
    },
    forecast: days.map((day, index) => ({
      date: `2026-06-${day}`,
      min_temperature: 24 + index,
      max_temperature: 33 + index,
      description: "Clear sky",
      icon: "clear",
      precipitation_percent: 5 * index,
      wind_speed: 14,
    })),
    advice: "recommended",
    source: "sample",
    fetched_at: new Date().toISOString(),
    ...change,
  };
}

export interface Account {
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
}

export const accounts = {
  admin: { username: "admin", name: "Administrator", email: "admin@suncrew.example", role: "SUPER_ADMIN" },
  partner: { username: "partner", name: "SunCare Services", email: "asha@suncare.example", role: "PARTNER" },
} as const satisfies Readonly<Record<string, Account>>;

/** Of a site of which nothing is missing, or this. */
export function sampleSoiling(change: Partial<SiteSoiling> = {}): SiteSoiling {
  return {
    site_id: 1,
    basis: "modelled",
    model: "hsu",
    missing: [],
    source: "open-meteo",
    received_at: new Date().toISOString(),
    is_stale: false,
    soiling_rate_factor: 1,
    corrections: [],
    is_beyond_measured: false,
    coverage_percent: 96,
    ratio: { value: 0.967, low: 0.941, high: 0.982 },
    second_opinion: null,
    last_cleaning: null,
    lost_kwh: null,
    lost_money: null,
    currency: null,
    cleaning_price: null,
    tonight_gain_kwh: null,
    tonight_gain_money: null,
    next_night: { date: null, is_extrapolated: false, reason: "UNKNOWN", reason_params: {}, text: "Not known." },
    worth_from_percent: null,
    best_interval_days: null,
    uncounted_runs: 0,
    days: [],
    ...change,
  };
}
