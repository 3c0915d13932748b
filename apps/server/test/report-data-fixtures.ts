import { noEnergyFacts } from "@suncrew/domain/sites/site-energy-facts.ts";
import type {
  OutcomeCounts,
  ReportActivity,
  ReportData,
  ReportDay,
  ReportEnergy,
  ReportReason,
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

const outcomeNames = ["COMPLETED", "STOPPED", "CUT_SHORT", "FAILED", "SKIPPED", "MISSED", "RUNNING"] as const;
/** How long a planned run that is done cleans, of 30 minutes planned. */
const RUN_MINUTES = 28;

/** Of a site whose facts nobody has entered. */
const noEnergy: ReportEnergy = {
  saved: null,
  missing: ["dc_capacity_kwp", "tilt_degrees", "azimuth_degrees", "performance_ratio_percent"],
  runs: 0,
  uncountedRuns: 0,
  sample: false,
  measured: null,
};

/** A complete, deterministic report of invented values, from 1 January 2026 in India. */
export function sampleReportData(made: SampleReportOptions = {}): ReportData {
  const {
    robots = 4,
    days = 30,
    activities = 40,
    olderActivities = 0,
    robotName = (nth) => `SCR-${1001 + nth}`,
  } = made;
  const reportRobots = Array.from({ length: robots }, (_, nth) => sampleRobot(nth, robotName(nth), days));
  const reportDays = Array.from({ length: days }, (_, nth) => sampleDay(nth, reportRobots));
  const outcomes = addOutcomes(reportDays.map((day) => day.outcomes));
  const sums = sampleFigures(reportRobots);
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
      daysBegun: days,
    },
    generatedAt: at(days, 9 * 60 + 41),
    sample: made.sample ?? false,
    figures: {
      ...sums,
      data_days: days,
      uptime_days: days,
      cleaning_cycles: outcomes.COMPLETED,
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
    before: {
      range: {
        from: at(-days, 0),
        to: { utc: at(0, 0).utc, local: `${at(-1, 0).local.slice(0, 10)} 23:59:59` },
        fromOffset: "UTC+05:30",
        toOffset: "UTC+05:30",
        days,
        daysBegun: days,
      },
      isMonth: false,
      figures: {
        ...sums,
        data_days: days,
        uptime_days: days,
        cleaning_cycles: outcomes.COMPLETED,
        average_battery: 68.1,
        battery_days: days,
        error_count: 5,
        critical_alerts: 5,
        resolved_alerts: 2,
        average_resolution_time: 120,
        minutes_cleaned: Math.max(0, sums.minutes_cleaned - 385),
        minutes_as_planned: Math.max(0, sums.minutes_as_planned - 385),
      },
      energy: noEnergy,
    },
    energy: noEnergy,
    days: reportDays,
    robotDays: {
      rows: reportRobots.slice(0, 30).map(({ name, serialNumber }, nth) => ({
        name,
        serialNumber,
        days: reportDays.map((_, day) => {
          const { COMPLETED, RUNNING: _running, ...notDone } = plannedOn(nth, day);
          const missing = Object.values(notDone).reduce((sum, one) => sum + one, 0);
          return { runs: COMPLETED + missing, notDone: missing };
        }),
      })),
      rest: Math.max(0, robots - 30),
    },
    reasons: sampleReasons(addOutcomes(reportRobots.map(({ planned }) => planned))),
    siteAlerts: [],
    outcomes,
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

/** The same of a site whose energy facts are known, with what cleaning has saved, measured in part. */
export function savedReportData(made: SampleReportOptions = {}): ReportData {
  const data = sampleReportData(made);
  const facts = {
    dc_capacity_kwp: 10_000,
    tilt_degrees: 25,
    azimuth_degrees: 180,
    performance_ratio_percent: 82,
    tariff_per_kwh: 2.5,
    currency: "INR",
  };
  const saved = {
    model: "hsu",
    lostWithout: { value: 61_240.4, low: 33_100, high: 104_800 },
    lost: { value: 4_810.6, low: 2_500, high: 9_100 },
    days: 28,
  } as const;
  const gain = (value: number) => ({ value, low: value - 0.008, high: value + 0.008 });
  const verified = [
    { date: "2026-01-05", gain: gain(0.031) },
    { date: "2026-01-15", gain: gain(0.041) },
  ];
  const energy = { ...noEnergy, saved, missing: [], runs: 118, uncountedRuns: 3 };
  const earlier = { ...energy, saved: { ...saved, lost: { value: 6_000, low: 3_000, high: 12_000 }, days: 30 } };
  return {
    ...data,
    site: { ...data.site, ...facts },
    energy: { ...energy, measured: { cleanings: 9, verified } },
    before: data.before && { ...data.before, energy: earlier },
  };
}

/** A site where nothing has ever happened. */
export function emptyReportData(): ReportData {
  const made = sampleReportData({ robots: 0, days: 7, activities: 0 });
  const figures = { ...made.figures };
  for (const name of Object.keys(figures)) Object.assign(figures, { [name]: null });
  const nothing = { minutesCleaned: 0, uptimePercent: null, averageBattery: null, outcomes: none, planned: none };
  const before = made.before && { ...made.before, figures };
  return {
    ...made,
    partner: null,
    partnerId: null,
    figures,
    before,
    robotDays: { rows: [], rest: 0 },
    reasons: [],
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
  const runs = sum((robot) => Object.values(robot.planned).reduce((all, one) => all + one, 0));
  const done = sum((robot) => robot.planned.COMPLETED);
  const running = sum((robot) => robot.planned.RUNNING);
  return {
    done_share: (done * 100) / (runs - running),
    planned_runs: runs,
    planned_runs_done: done,
    planned_runs_running: running,
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

/** What became of a robot's two planned runs of a day. */
function plannedOn(robot: number, day: number): OutcomeCounts {
  switch ((robot * 7 + day * 13) % 29) {
    case 0:
      return { ...none, COMPLETED: 1, CUT_SHORT: 1 };
    case 5:
      return { ...none, SKIPPED: 2 };
    case 11:
      return { ...none, COMPLETED: 1, FAILED: 1 };
    case 17:
      return { ...none, COMPLETED: 1, MISSED: 1 };
    case 23:
      return { ...none, COMPLETED: 1, STOPPED: 1 };
    default:
      return { ...none, COMPLETED: 2 };
  }
}

function sampleReasons({ SKIPPED, CUT_SHORT, MISSED }: OutcomeCounts): ReportReason[] {
  const reasons = [
    {
      outcome: "SKIPPED",
      text: "Battery too low to start: 14 %, at least 20 % is wanted",
      isExact: false,
      runs: SKIPPED,
    },
    { outcome: "CUT_SHORT", text: "The link to the robot was lost", isExact: true, runs: CUT_SHORT },
    { outcome: "MISSED", text: "The robot was offline", isExact: true, runs: MISSED },
  ] as const;
  return reasons.filter(({ runs }) => runs > 0);
}

function addOutcomes(all: readonly OutcomeCounts[]): OutcomeCounts {
  const sum = { ...none };
  for (const one of all) for (const name of outcomeNames) sum[name] += one[name];
  return sum;
}

/** Manual runs and time outside the plan are of the first day. */
function sampleDay(nth: number, robots: readonly ReportRobot[]): ReportDay {
  const planned = addOutcomes(robots.map((_, robot) => plannedOn(robot, nth)));
  const byHand = nth === 0 ? robots.reduce((sum, robot) => sum + robot.byHand, 0) : 0;
  const rest = nth === 0 ? robots.reduce((sum, robot) => sum + robot.minutesByHand + robot.minutesOutsidePlan, 0) : 0;
  return {
    date: at(nth, 0).local.slice(0, 10),
    minutesCleaned: planned.COMPLETED * RUN_MINUTES + rest,
    uptimePercent: nth % 11 === 10 ? null : 93 + ((nth * 29) % 70) / 10,
    averageBattery: 62 + ((nth * 31) % 230) / 10,
    planned,
    outcomes: { ...planned, COMPLETED: planned.COMPLETED + byHand },
  };
}

function sampleRobot(nth: number, name: string, days: number): ReportRobot {
  const planned = addOutcomes(Array.from({ length: days }, (_, day) => plannedOn(nth, day)));
  const minutesPlanned = days * 2 * 30;
  const asPlanned = planned.COMPLETED * RUN_MINUTES;
  const byHand = (nth % 3) * 45;
  const known = 43_200 - (nth % 5) * 480;
  const reachable = known - 700 + (nth % 9) * 13;
  return {
    robotId: nth + 1,
    name,
    serialNumber: `SCR-${1001 + nth}`,
    planned,
    byHand: nth % 3,
    minutesPlanned,
    minutesAsPlanned: asPlanned,
    minutesOutsidePlan: 4,
    minutesByHand: byHand,
    minutesCleaned: asPlanned + 4 + byHand,
    efficiencyPercent: (asPlanned * 100) / minutesPlanned,
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
            activeAlerts:
              nth % 5 === 3
                ? [{ severity: "CRITICAL", text: "Brush motor draws too much current", since: at(days - 1, 300) }]
                : [],
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
