import { alertList } from "@suncrew/contract/alerts/alerts.ts";
import { attentionList } from "@suncrew/contract/attention/attention.ts";
import { robotStatus } from "@suncrew/contract/commands/commands.ts";
import { config } from "@suncrew/contract/config/config.ts";
import { siteGuard } from "@suncrew/contract/guard/site-guard.ts";
import { groupList } from "@suncrew/contract/groups/groups.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import { live } from "@suncrew/contract/live/live.ts";
import { siteNights } from "@suncrew/contract/robot-history/nights.ts";
import { robotTypes, serialNumbers } from "@suncrew/contract/robots/robot-forms.ts";
import { contactPointList } from "@suncrew/contract/notifications/contact-points.ts";
import { subscriptionList } from "@suncrew/contract/notifications/notification-rules.ts";
import { muteList } from "@suncrew/contract/notifications/mutes.ts";
import { robotDetailsWithSettings, robotDirectory } from "@suncrew/contract/robots/robots.ts";
import { runsFleetCalendar, runsToday } from "@suncrew/contract/runs/runs.ts";
import { partnerDetails } from "@suncrew/contract/partners/partners.ts";
import { getRobotSchedule } from "@suncrew/contract/schedules/schedules.ts";
import { measuredComparison } from "@suncrew/contract/measurements/measured-against-model.ts";
import { siteStrategies } from "@suncrew/contract/soiling/soiling-strategies.ts";
import { energyAtRisk } from "@suncrew/contract/soiling/soiling.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { siteWeather } from "@suncrew/contract/weather/weather.ts";
import { liveStore } from "../src/platform/live/live.ts";
import { type ReceivedCall, usually } from "./answers.ts";
import {
  fleetSnapshot,
  samplePartners,
  sampleRobots,
  sampleSites,
  sampleWeather,
  siteGuardOf,
} from "./sample-fleet.ts";

/** What every page requests, answered by a small fleet in which nothing happens. */
export function giveDefaultAnswers(): void {
  usually(config).answer(() => ({ mode: "production", demo_sign_ins: [], map_tiles: null }));
  usually(siteDetails).answer(() => [...sampleSites]);
  usually(robotDetailsWithSettings).answer(({ params }) => ({
    robots: sampleRobots.filter((robot) => robot.site_id === params.siteId),
  }));
  usually(robotStatus).answer(currentReading);
  usually(siteWeather).answer(() => sampleWeather());
  usually(alertList).answer(() => ({
    alerts: [],
    total: 0,
    total_exact: true,
    open: { CRITICAL: 0, WARNING: 0, INFO: 0 },
    next_cursor: null,
  }));
  usually(attentionList).answer(() => ({
    items: [],
    open: { CRITICAL: 0, WARNING: 0, INFO: 0 },
    acknowledged: 0,
  }));
  usually(energyAtRisk).answer(() => ({
    sites: [],
    total_kwh: null,
    totals_money: [],
    known_sites: 0,
    unknown_sites: sampleSites.length,
    missing_facts_sites: sampleSites.length,
    waiting_sites: 0,
    stale_sites: 0,
    factor_sites: 0,
  }));
  usually(siteStrategies).answer(({ params }) => ({
    site_id: params.siteId,
    basis: "modelled",
    missing: [],
    source: null,
    model: null,
    from: "2025-06-15",
    to: "2026-06-14",
    days: 365,
    known_days: 0,
    least_days: 1,
    most_days: 14,
    local_time: "20:00",
    rows: 2,
    currency: null,
    strategies: [],
  }));
  usually(measuredComparison).answer(({ params }) => ({
    site_id: params.siteId,
    first: null,
    last: null,
    source: null,
    days: [],
    energy: { days: 0, bias: null },
    station: { days: 0, bias: null },
    proposed: [],
    control: null,
    cleanings: [],
  }));
  usually(siteGuard).answer(({ params }) => siteGuardOf({ site_id: params.siteId }));
  usually(runsToday).answer(() => ({
    planned: 0,
    running: 0,
    done: 0,
    stopped: 0,
    cut_short: 0,
    failed: 0,
    skipped: 0,
    missed: 0,
  }));
  usually(runsFleetCalendar).answer(() => ({ dates: [], tonight: "2026-06-15", sites: [] }));
  usually(siteNights).answer(() => ({ timezone: "Asia/Kolkata", dates: [], robots: [] }));
  usually(robotTypes).answer(() => ({ motor_types: ["BLDC"], control_types: ["PLC"] }));
  usually(serialNumbers).answer(() => [
    { serial_number: "SCR-1011", assigned: true },
    { serial_number: "SCR-1100", assigned: false },
  ]);
  usually(robotDirectory).answer(() => ({ robots: [...sampleRobots], groups: [] }));
  usually(groupList).answer(() => []);
  usually(getRobotSchedule).answer(() => ({ message: "Schedule Fetched Successfully", schedules: [] }));
  usually(partnerDetails).answer(() => [...samplePartners]);
  usually(contactPointList).answer(() => []);
  usually(muteList).answer(() => []);
  usually(subscriptionList).answer(() => []);
  usually(live).stream(() => fleetSnapshot(sampleRobots));
}

/** The answer to a robot's status call: what the stream says about it, because both come from the same server. */
export function currentReading({ query }: ReceivedCall<typeof robotStatus>): ResponseOf<typeof robotStatus> {
  const robot = [...liveStore.robots()].find(({ serial_number }) => serial_number === query.robotId);
  const motion = robot?.motion ?? "STOPPED";
  return {
    success: true,
    data: {
      status: motion === "MOVING" ? "start" : "stop",
      robot_status: motion === "MOVING" ? "normal" : "idle",
      battery: robot?.battery_level ?? 72,
      timestamp: new Date().toISOString(),
      motion,
      direction: robot?.cleaning_direction === "REVERSE" ? "REV" : "FWD",
    },
  };
}
