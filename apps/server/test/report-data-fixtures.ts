import { noEnergyFacts } from "@suncrew/domain/sites/site-energy-facts.ts";
import type {
  OutcomeCounts,
  ReportActivity,
  ReportData,
  ReportDay,
  ReportRobot,
  ReportTime,
} from "../src/features/reports/report-data.ts";

export interface SampleReportOptions {
  readonly siteName?: string;
  readonly robots?: number;
  readonly days?: number;
  readonly activities?: number;
  readonly olderActivities?: number;
  readonly robotName?: (nth: number) => string;
  readonly sample?: boolean;
}

const none: OutcomeCounts = { COMPLETED: 0, STOPPED: 0, CUT_SHORT: 0, FAILED: 0, SKIPPED: 0, MISSED: 0, RUNNING: 0 };

/** A complete, deterministic report of invented values, from 1 January 2026 in India. */
export function sampleReportData(made: SampleReportOptions = {}): ReportData {
  const {
    robots = 4,
    days = 30,
    activities = 40,
    olderActivities = 0,
    robotName = (nth) => `SCR-${1001 + nth}`,
  } = made;
  const reportDays = Array.from({ length: days }, (_, nth) => sampleDay(nth));
  const reportRobots = Array.from({ length: robots }, (_, nth) => sampleRobot(nth, robotName(nth), days));
  return {
    site: {
      id: 7,
      name: made.siteName ?? "Bhadla Solar Park",
      address: "Bhadla village road 4",
      district: "Jodhpur",
      state: "Rajasthan",
      pin_code: "342301",
      timezone: "Asia/Kolkata",
      latitude: 27.5395,
      longitude: 71.9154,
      commissioning_date: "2021-03-12",
      ...noEnergyFacts,
    },
    partnerId: 7,
    partner: {
      name: "SunCare Services",
      contactPerson: "Asha Verma",
      email: "asha@suncare.example",
      phone: "+91 98765 43210",
    },
    range: {
      from: at(0, 0),
      to: { utc: at(days, 0).utc, local: `${at(days - 1, 0).local.slice(0, 10)} 23:59:59` },
      fromOffset: "UTC+05:30",
      toOffset: "UTC+05:30",
      days,
    },
    generatedAt: at(days, 9 * 60 + 41),
    sample: made.sample ?? false,
    figures: {
      ...sampleFigures(reportRobots),
      uptime_days: days,
      cleaning_cycles: 1_234,
      average_battery: 71.25,
      battery_days: days,
      maintenance_activities: 5,
      system_changes: 41,
      user_actions: 17,
      error_count: 3,
      scheduled_maintenance: 1,
      overdue_maintenance: Math.min(1, robots),
      completed_maintenance: 2,
      critical_alerts: 3,
      resolved_alerts: 4,
      average_resolution_time: 205.4,
    },
    days: reportDays,
    outcomes: { COMPLETED: 1_234, STOPPED: 12, CUT_SHORT: 21, FAILED: 4, SKIPPED: 33, MISSED: 2, RUNNING: 1 },
    robots: reportRobots,
    notDone: {
      rows: reportRobots.slice(0, 8).map(({ name, serialNumber }, nth) => ({
        robotName: name,
        serialNumber,
        at: at(days - 1 - nth, 6 * 60),
        planned: nth % 3 !== 2,
        outcome: nth % 2 === 0 ? ("SKIPPED" as const) : ("CUT_SHORT" as const),
        reason:
          nth % 2 === 0 ? "Battery too low to start: 14 %, at least 20 % is wanted" : "The link to the robot was lost",
      })),
      rest: 0,
    },
    maintenance: {
      intervalDays: 180,
      set: 3,
      released: 2,
      locks: {
        rows: reportRobots.slice(0, 3).map(({ name, serialNumber }, nth) => ({
          robotName: name,
          serialNumber,
          reason: "Brush worn, replaced by a new one",
          setAt: at(3 + nth, 600),
          setBy: "Asha Verma",
          releasedAt: nth === 2 ? null : at(3 + nth, 745),
          releasedBy: nth === 2 ? null : "Ravi Kumar",
          minutes: nth === 2 ? 12_000 : 145,
        })),
        rest: 0,
      },
      due: reportRobots
        .slice(0, 1)
        .map(({ name, serialNumber }) => ({ robotName: name, serialNumber, date: "2026-01-14" })),
      overdue: reportRobots
        .slice(0, 1)
        .map(({ name, serialNumber }) => ({ robotName: name, serialNumber, date: "2026-01-14" })),
    },
    alerts: {
      rows: reportRobots.slice(0, 5).map(({ name, serialNumber }, nth) => ({
        robotName: nth === 0 ? null : name,
        serialNumber: nth === 0 ? null : serialNumber,
        severity: nth < 2 ? ("CRITICAL" as const) : nth === 2 ? ("WARNING" as const) : ("INFO" as const),
        text: nth === 0 ? "All robots of the site are offline" : "Brush motor draws too much current",
        raisedAt: at(days - 1 - nth, 300),
        clearedAt: nth === 1 ? null : at(days - 1 - nth, 505),
        minutes: nth === 1 ? null : 205,
      })),
      rest: 0,
    },
    activity: {
      rows: Array.from({ length: activities }, (_, nth) => sampleActivity(nth, days, reportRobots)),
      rest: olderActivities,
    },
  };
}

/** A site where nothing has ever happened. */
export function emptyReportData(): ReportData {
  const made = sampleReportData({ robots: 0, days: 7, activities: 0 });
  const figures = { ...made.figures };
  for (const name of Object.keys(figures)) Object.assign(figures, { [name]: null });
  const nothing = { minutesCleaned: 0, uptimePercent: null, averageBattery: null, outcomes: none };
  return {
    ...made,
    partner: null,
    partnerId: null,
    figures,
    maintenance: { ...made.maintenance, due: [], overdue: [] },
    outcomes: none,
    days: made.days.map(({ date }) => ({ date, ...nothing })),
  };
}

/** The totals of the robots. */
function sampleFigures(robots: readonly ReportRobot[]) {
  const sum = (of: (robot: ReportRobot) => number) => robots.reduce((all, robot) => all + of(robot), 0);
  const reachable = sum((robot) => robot.minutesReachable);
  const known = sum((robot) => robot.minutesKnown);
  const planned = sum((robot) => robot.minutesPlanned);
  const asPlanned = sum((robot) => robot.minutesAsPlanned);
  return {
    uptime: (reachable * 100) / known,
    minutes_reachable: reachable,
    minutes_known: known,
    critical_minutes: sum((robot) => robot.minutesCritical),
    minutes_cleaned: sum((robot) => robot.minutesCleaned),
    minutes_as_planned: asPlanned,
    minutes_outside_plan: sum((robot) => robot.minutesOutsidePlan),
    minutes_by_hand: sum((robot) => robot.minutesByHand),
    minutes_planned: planned,
    efficiency: (asPlanned * 100) / planned,
  };
}

function sampleDay(nth: number): ReportDay {
  const cleaned = nth % 9 === 8 ? 0 : 900 + ((nth * 137) % 500);
  return {
    date: at(nth, 0).local.slice(0, 10),
    minutesCleaned: cleaned,
    uptimePercent: nth % 11 === 10 ? null : 93 + ((nth * 29) % 70) / 10,
    averageBattery: 62 + ((nth * 31) % 230) / 10,
    outcomes: {
      ...none,
      COMPLETED: cleaned === 0 ? 0 : 30 + (nth % 7),
      SKIPPED: nth % 4,
      CUT_SHORT: nth % 3 === 0 ? 1 : 0,
    },
  };
}

function sampleRobot(nth: number, name: string, days: number): ReportRobot {
  const asPlanned = 1_650 + (nth % 150);
  const byHand = (nth % 3) * 45;
  const known = 43_200 - (nth % 5) * 480;
  const reachable = known - 700 + (nth % 9) * 13;
  return {
    robotId: nth + 1,
    name,
    serialNumber: `SCR-${1001 + nth}`,
    planned: {
      COMPLETED: 55 - (nth % 4),
      STOPPED: 1,
      CUT_SHORT: 2,
      FAILED: 1,
      SKIPPED: 1 + (nth % 4),
      MISSED: 1,
      RUNNING: 0,
    },
    byHand: nth % 3,
    minutesPlanned: 1_800,
    minutesAsPlanned: asPlanned,
    minutesOutsidePlan: 4,
    minutesByHand: byHand,
    minutesCleaned: asPlanned + 4 + byHand,
    efficiencyPercent: asPlanned / 18,
    minutesReachable: reachable,
    minutesKnown: known,
    uptimePercent: (reachable * 100) / known,
    uptimeDays: Math.max(0, days - (nth % 5)),
    minutesCritical: nth % 5 === 3 ? 2_880 : 0,
    averageBattery: nth === 3 ? null : 70.5,
    batteryDays: nth === 3 ? 0 : days,
    health:
      nth === 5
        ? null
        : {
            status: (["normal", "idle", "warning", "critical", "offline"] as const)[nth % 5] ?? "idle",
            online: nth % 5 !== 4,
            inMaintenance: nth === 1 ? { since: at(5, 600), reason: "Brush worn" } : null,
            errorCount: nth % 3,
            battery: nth === 3 ? null : 80 - (nth % 50),
            firmware: "1.4.2",
            lastCleanedAt: nth === 4 ? null : at(20, 380),
            lastMaintenanceAt: null,
            maintenanceDueDate: nth === 0 ? "2026-01-14" : "2026-06-02",
            overdue: nth === 0,
            activeAlerts: nth % 5 === 3 ? [{ severity: "CRITICAL", text: "Brush motor draws too much current" }] : [],
          },
  };
}

function sampleActivity(nth: number, days: number, robots: readonly ReportRobot[]): ReportActivity {
  const robot = robots[nth % Math.max(1, robots.length)];
  return {
    at: at(days - 1, 1_200, -nth * 607),
    action: nth % 2 === 0 ? "STOP" : "START",
    actionType: (["SCHEDULED", "MANUAL", "GROUP", "SYSTEM"] as const)[nth % 4] ?? "MANUAL",
    userName: nth % 4 === 0 ? "Scheduler" : "Asha Verma",
    status: nth % 13 === 5 ? "FAILED" : nth % 13 === 9 ? "REFUSED" : "SUCCESS",
    robotName: robot?.name ?? "SCR-1001",
    serialNumber: robot?.serialNumber ?? "SCR-1001",
    details: nth % 13 === 5 ? "The robot did not confirm in time" : `Entry number ${nth + 1}`,
  };
}

/** Some minutes of a day at the site, days counted from 1 January 2026. */
function at(day: number, minutes: number, seconds = 0): ReportTime {
  const local = new Date(Date.UTC(2026, 0, 1 + day, 0, minutes, seconds));
  const utc = new Date(local.getTime() - 330 * 60_000);
  return { utc: utc.toISOString(), local: local.toISOString().slice(0, 19).replace("T", " ") };
}
