import type { PrintedSection } from "@suncrew/domain/report-templates/template-sections.ts";
import { changeOf, COMPARED_MAX_DAYS } from "@suncrew/domain/reports/report-change.ts";
import { type ReportFigureName, reportFigureRules } from "@suncrew/domain/reports/report-figures.ts";
import { monthName } from "@suncrew/domain/reports/report-months.ts";
import {
  ENOUGH_DAYS_PERCENT,
  type PresentFacts,
  VERDICT_LIMITS,
  type VerdictLight,
  type VerdictReasonKind,
  verdictOf,
} from "@suncrew/domain/reports/report-verdict.ts";
import { theme } from "../../platform/pdf/pdf-document.ts";
import { energyFigure } from "./energy-layout.ts";
import { notDoneOf } from "./report-calculation.ts";
import type { ReportData, ReportOpenAlert, ReportRange, ReportRobot } from "./report-data.ts";
import { count, countOf, formatDateTime, hours, oneDecimal, outOf, percent, rangeText } from "./report-format.ts";
import {
  coverageText,
  figureFormula,
  figureNames,
  figureText,
  knownDays,
  nameOf,
  overdueText,
  type RangeFigures,
  showsMaintenance,
} from "./section-layout.ts";

/** What the first page says, as plain values. */
export interface VerdictPage {
  readonly light: VerdictLight;
  readonly title: string;
  /** What was done, whether robots could be reached, and why the light is as it is. */
  readonly sentences: readonly [string, string, string];
  readonly figures: readonly VerdictFigure[];
  /** What cleaning has saved; printed with the figures. */
  readonly energy: Omit<VerdictFigure, "name">;
  /** What the figures are of. */
  readonly range: string;
  /** What they are compared with; null with `notCompared` if they are not. */
  readonly before: string | null;
  readonly notCompared: string | null;
  /** Worst first. */
  readonly actions: readonly VerdictAction[];
}

export interface VerdictFigure {
  readonly name: ReportFigureName;
  readonly label: string;
  /** The numbers that it is calculated from. */
  readonly formula: string;
  readonly value: string;
  readonly coverage: string;
  readonly before: string;
  readonly coverageBefore: string;
  readonly change: string;
  readonly changeNote: string;
  readonly changeColor: string;
}

export interface VerdictAction {
  readonly light: "AMBER" | "RED";
  readonly text: string;
}

const titles: Record<VerdictLight, string> = {
  GREEN: "Green: the site is cleaned as planned",
  AMBER: "Amber: something needs attention",
  RED: "Red: something needs action now",
  UNKNOWN: "No verdict: there is no data",
};

export function verdictPageOf(data: ReportData, sections: readonly PrintedSection[]): VerdictPage {
  const { light, reasons } = verdictOf(factsOf(data));
  return {
    light,
    title: titles[light],
    sentences: [cleaningSentence(data), reachSentence(data), reasonSentence(data, reasons)],
    figures: coverFigures(sections).map((name) => figureRow(data, name)),
    energy: energyFigure(data),
    range: rangeName(data.range, data.before?.isMonth === true),
    before: data.before === null ? null : rangeName(data.before.range, data.before.isMonth),
    notCompared: data.before === null ? `Ranges of more than ${COMPARED_MAX_DAYS} days are not compared.` : null,
    actions: actionsOf(data, sections),
  };
}

/** What is open counts towards the light only for so long after the end of a range. */
const PRESENT_DAYS = 7;

function factsOf(data: ReportData) {
  const { figures, range } = data;
  const ageMs = Date.parse(data.generatedAt.utc) - Date.parse(range.to.utc);
  const running = figures.planned_runs_running ?? 0;
  return {
    days: range.daysBegun,
    daysWithData: figures.data_days ?? 0,
    runs: (figures.planned_runs ?? 0) - running,
    runsDone: figures.planned_runs_done ?? 0,
    uptimePercent: figures.uptime,
    present: ageMs < PRESENT_DAYS * 86_400_000 ? presentOf(data) : null,
  };
}

function presentOf(data: ReportData): PresentFacts {
  const critical = criticalRobots(data);
  const offline = offlineRobots(data);
  return {
    robots: data.robots.filter(({ health }) => health !== null).length,
    critical: critical.length,
    offline: offline.length,
    outOfAction: new Set([...critical, ...offline]).size,
    siteCritical: data.siteAlerts.filter(({ severity }) => severity === "CRITICAL").length,
    overdue: data.maintenance.overdue.length,
  };
}

function criticalRobots({ robots }: ReportData): ReportRobot[] {
  return robots.filter(({ health }) => health?.activeAlerts.some(({ severity }) => severity === "CRITICAL"));
}

/** A robot in maintenance is meant to be out of action. */
function offlineRobots({ robots }: ReportData): ReportRobot[] {
  return robots.filter(({ health }) => health !== null && !health.online && health.inMaintenance === null);
}

function cleaningSentence({ figures, range }: ReportData): string {
  const cleaned = figures.minutes_cleaned ?? 0;
  const over = (figures.planned_runs ?? 0) - (figures.planned_runs_running ?? 0);
  const known = `data on ${outOf(figures.data_days ?? 0, range.days)} days`;
  if (over > 0) {
    const done = `${count(figures.planned_runs_done ?? 0)} of ${countOf(over, "planned run was", "planned runs were")} done (${percent(figures.done_share)})`;
    return `${done}, and robots cleaned for ${hours(cleaned)} altogether (${known}).`;
  }
  if (cleaned > 0) return `No planned run was over in this range; robots cleaned for ${hours(cleaned)} (${known}).`;
  return `No planned run was over in this range, and no robot cleaned (${known}).`;
}

function reachSentence({ figures, range }: ReportData): string {
  const critical = figures.critical_alerts ?? 0;
  const alerts =
    critical === 0 ? "no critical alert was" : countOf(critical, "critical alert was", "critical alerts were");
  if (figures.uptime === null) return `Whether robots could be reached is not known; ${alerts} raised.`;
  const days = `known on ${outOf(figures.uptime_days ?? 0, range.days)} days`;
  return `Robots could be reached ${percent(figures.uptime)} of the time (${days}), and ${alerts} raised.`;
}

function reasonSentence(data: ReportData, reasons: readonly { readonly kind: VerdictReasonKind }[]): string {
  if (reasons.length === 0) {
    return `It is green because at least ${VERDICT_LIMITS.green} % of planned runs were done, robots could be reached as much of the time as is known, and nothing that makes it amber is open.`;
  }
  const texts = reasons.map(({ kind }) => reasonText(data, kind));
  const last = texts.pop() ?? "";
  const why = texts.length === 0 ? last : `${texts.join(", ")} and ${last}`;
  return data.figures.data_days === null || data.figures.data_days === 0
    ? `There is no verdict because ${why}.`
    : `It is not green because ${why}.`;
}

function reasonText(data: ReportData, kind: VerdictReasonKind): string {
  const { figures, range } = data;
  const present = presentOf(data);
  switch (kind) {
    case "NO_DATA":
      return "nothing is known of any robot on any day of this range";
    case "FEW_DAYS":
      return `there is data on only ${outOf(figures.data_days ?? 0, range.daysBegun)} days that are over or under way (green from ${ENOUGH_DAYS_PERCENT} %)`;
    case "RUNS_NOT_DONE":
      return `only ${percent(figures.done_share)} of planned runs were done (green from ${VERDICT_LIMITS.green} %)`;
    case "UNREACHABLE":
      return `robots could be reached only ${percent(figures.uptime)} of the time (green from ${VERDICT_LIMITS.green} %)`;
    case "SITE_CRITICAL":
      return `${countOf(present.siteCritical, "critical alert", "critical alerts")} of the whole site ${present.siteCritical === 1 ? "is" : "are"} open`;
    case "OUT_OF_ACTION":
      return `${countOf(present.outOfAction, "robot", "robots")} of ${count(present.robots)} ${present.outOfAction === 1 ? "is" : "are"} offline or ${present.outOfAction === 1 ? "has" : "have"} a critical alert open`;
    case "OVERDUE":
      return `maintenance of ${countOf(present.overdue, "robot", "robots")} is overdue`;
  }
}

/** In the order of the first page; those of sections that are not printed are left out. */
const coverOrder: readonly ReportFigureName[] = [
  "done_share",
  "minutes_cleaned",
  "efficiency",
  "uptime",
  "critical_minutes",
  "average_battery",
  "critical_alerts",
];
const MOST_FIGURES = 7;

function coverFigures(sections: readonly PrintedSection[]): ReportFigureName[] {
  const names = [...new Set(sections.flatMap(({ fields }) => figureNames(fields)))];
  const first = coverOrder.filter((name) => names.includes(name));
  return [...first, ...(first.length < 3 ? names.filter((name) => !first.includes(name)) : [])].slice(0, MOST_FIGURES);
}

/** What is better: more or less of it; of the others neither. */
const better: Partial<Record<ReportFigureName, 1 | -1>> = {
  done_share: 1,
  efficiency: 1,
  uptime: 1,
  critical_minutes: -1,
  critical_alerts: -1,
};

function figureRow(data: ReportData, name: ReportFigureName): VerdictFigure {
  const { before } = data;
  const row = {
    name,
    label: reportFigureRules[name].label,
    formula: figureFormula(data, name) ?? "",
    value: figureText(data, name),
    coverage: coverageText(data, name) ?? "",
  };
  if (before === null || !(name in before.figures)) {
    return { ...row, before: "", coverageBefore: "", change: "", changeNote: "", changeColor: theme.muted };
  }
  return {
    ...row,
    before: figureText(before, name),
    coverageBefore: coverageText(before, name) ?? "",
    ...changeText(data, before, name),
  };
}

function changeText(data: RangeFigures, before: RangeFigures, name: ReportFigureName) {
  const { unit } = reportFigureRules[name];
  const compared = (of: RangeFigures) => ({
    value: of.figures[name] ?? null,
    days: knownDays(of, name) ?? 0,
    ofDays: of.range.days,
  });
  const change = changeOf(compared(data), compared(before), unit);
  const none = { changeNote: "", changeColor: theme.muted };
  if (change.kind !== "CHANGE") {
    const changeNote = change.kind === "UNEVEN" ? "too few days to compare" : "no data to compare";
    return { ...none, change: "\u2013", changeNote };
  }
  const { by } = change;
  if (by === 0) return { ...none, change: "No change" };
  const size = Math.abs(by);
  const text = { percent: `${oneDecimal(size)} points`, minutes: hours(size), count: count(size), days: count(size) }[
    unit
  ];
  const way = Math.sign(by) * (better[name] ?? 0);
  return {
    change: `${by > 0 ? "+" : "\u2212"}${text}`,
    changeNote: way === 0 ? "" : way > 0 ? "better" : "worse",
    changeColor: way === 0 ? theme.text : way > 0 ? theme.good : theme.poor,
  };
}

function rangeName(range: ReportRange, isMonth: boolean): string {
  return isMonth ? monthName(`${range.from.local.slice(0, 7)}-01`) : rangeText(range);
}

/** Names that a line gives before it counts the rest. */
const MOST_NAMES = 5;

function namesText(robots: readonly ReportRobot[]): string {
  const names = robots.slice(0, MOST_NAMES).map((robot) => robot.serialNumber || nameOf(robot));
  const rest = robots.length - names.length;
  return `${names.join(", ")}${rest > 0 ? ` and ${count(rest)} more` : ""}`;
}

function actionsOf(data: ReportData, sections: readonly PrintedSection[]): VerdictAction[] {
  const actions: VerdictAction[] = [];
  const add = (light: "AMBER" | "RED", text: string | null) => {
    if (text !== null) actions.push({ light, text });
  };
  for (const alert of data.siteAlerts.slice(0, 3)) {
    if (alert.severity !== "INFO")
      add(alert.severity === "CRITICAL" ? "RED" : "AMBER", `Whole site: ${alertText(alert)}.`);
  }
  const critical = criticalRobots(data);
  if (critical.length > 0) add("RED", criticalText(critical));
  const offline = offlineRobots(data);
  if (offline.length > 0) {
    add("RED", `${countOf(offline.length, "robot is", "robots are")} offline: ${namesText(offline)}.`);
  }
  const overdue = showsMaintenance(sections) ? overdueText(data, 6) : null;
  if (overdue !== null) add("AMBER", `Maintenance: ${overdue}`);
  const warned = data.robots.filter(({ health }) =>
    health?.activeAlerts.some(({ severity }) => severity === "WARNING"),
  );
  if (warned.length > 0) {
    add("AMBER", `${countOf(warned.length, "robot has", "robots have")} a warning open: ${namesText(warned)}.`);
  }
  add("AMBER", missedText(data));
  return [...actions.filter(({ light }) => light === "RED"), ...actions.filter(({ light }) => light === "AMBER")];
}

function alertText({ text, since }: ReportOpenAlert): string {
  return `${text}, since ${formatDateTime(since, "")}`;
}

/** Of one robot its alert, of several their names. */
function criticalText(robots: readonly ReportRobot[]): string {
  const [robot] = robots;
  const alert = robot?.health?.activeAlerts.find(({ severity }) => severity === "CRITICAL");
  if (robots.length === 1 && robot !== undefined && alert !== undefined) {
    return `${nameOf(robot)} has a critical alert open: ${alertText(alert)}.`;
  }
  return `${count(robots.length)} robots have a critical alert open: ${namesText(robots)}.`;
}

/** Runs that nobody decided against: the robot was not there, or did not do it. */
function missedText({ robots }: ReportData): string | null {
  const total = (outcome: "MISSED" | "FAILED") => robots.reduce((sum, { planned }) => sum + planned[outcome], 0);
  const [missed, failed] = [total("MISSED"), total("FAILED")];
  if (missed + failed === 0) return null;
  const parts = [missed > 0 ? `${count(missed)} missed` : "", failed > 0 ? `${count(failed)} failed` : ""];
  const worst = robots.toSorted((one, other) => notDoneOf(other.planned) - notDoneOf(one.planned));
  const some = worst.filter(({ planned }) => planned.MISSED + planned.FAILED > 0);
  return `Planned runs ${parts.filter((part) => part !== "").join(" and ")} in this range: ${namesText(some)}.`;
}
