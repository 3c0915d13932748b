import { templateSectionSchema } from "@suncrew/contract/report-templates/report-templates.ts";
import { describe, expect, test } from "vitest";
import { sampleTemplates } from "./sample-templates.ts";
import {
  allSections,
  answeredSections,
  composeSections,
  printedSections,
  sectionCatalogue,
  templateNameKey,
} from "./template-sections.ts";

const on = (...names: string[]) => names.map((name) => ({ name, enabled: true }));
const performance = {
  type: "performance",
  enabled: true,
  order: 1,
  fields: on("uptime", "cleaning_cycles"),
} as const;
const alerts = { type: "alerts", enabled: true, order: 2, fields: on("critical_alerts") } as const;

/** The sections of a valid body. */
function composed(sent: Parameters<typeof composeSections>[0]) {
  const result = composeSections(sent);
  if (result.kind === "problem") throw new Error(result.message);
  return result.sections;
}

describe("§3 Report template: sections and fields", () => {
  test("there are the five sections with their fields, and the required ones are the specification's", () => {
    expect(sectionCatalogue.map(({ name, fields }) => [name, fields.length])).toEqual([
      ["Robot Performance", 5],
      ["Activity Log", 4],
      ["Robot Health Status", 4],
      ["Maintenance History", 4],
      ["Alerts Summary", 3],
    ]);
    const fields = sectionCatalogue.flatMap((section) => [...section.fields]);
    expect(fields.filter(({ required }) => required).map(({ label }) => label)).toEqual([
      "Uptime %",
      "Cleaning Cycles",
      "Maintenance Activities",
      "Current Status",
      "Error Count",
      "Scheduled Maintenance",
      "Completed Maintenance",
      "Critical Alerts",
    ]);
    expect(new Set(fields.map(({ name }) => name)).size).toBe(fields.length);
  });

  test("the sections sent are completed to all five in order; those not named are off", () => {
    const sections = composed([
      { ...alerts, order: 1 },
      { ...performance, order: 4, fields: [...performance.fields, { name: "efficiency", enabled: false }] },
      { type: "maintenance", enabled: false, order: 2, fields: on("partner_details") },
    ]);
    expect(sections.map(({ type, enabled, fields }) => [type, enabled, ...fields])).toEqual([
      ["alerts", true, "critical_alerts"],
      ["maintenance", false, "scheduled_maintenance", "completed_maintenance", "partner_details"],
      ["performance", true, "uptime", "cleaning_cycles"],
      ["activities", false, "maintenance_activities"],
      ["robot_health", false, "current_status", "error_count"],
    ]);
    expect(printedSections(sections)).toEqual([
      { type: "alerts", fields: ["critical_alerts"] },
      { type: "performance", fields: ["uptime", "cleaning_cycles"] },
    ]);
    const shown = answeredSections(sections).map((section) => templateSectionSchema.parse(section));
    expect(shown.map(({ order }) => order)).toEqual([1, 2, 3, 4, 5]);
    const ids = shown.flatMap(({ id, fields }) => [id, ...fields.map((field) => field.id)]);
    expect([ids.length, new Set(ids).size]).toEqual([25, 25]);
  });

  test("two sections with the same position keep the catalogue's order", () => {
    const sections = composed([{ ...alerts, order: 1 }, performance]);
    expect(sections.slice(0, 2).map(({ type }) => type)).toEqual(["performance", "alerts"]);
  });

  test.each([
    [[performance, alerts, performance], "sections.2.type", "Robot Performance is named more than once."],
    [
      [{ ...performance, fields: on("uptime", "cleaning_cycles", "moon") }],
      "sections.0.fields.2.name",
      'Robot Performance has no field "moon".',
    ],
    [
      [alerts, { ...performance, fields: on("uptime", "cleaning_cycles", "uptime") }],
      "sections.1.fields.2.name",
      'Robot Performance names the field "uptime" more than once.',
    ],
    [
      [{ ...performance, fields: on("uptime") }],
      "sections.0.fields",
      "Cleaning Cycles is required in Robot Performance.",
    ],
    [
      [{ ...alerts, fields: [{ name: "critical_alerts", enabled: false }] }],
      "sections.0.fields",
      "Critical Alerts is required in Alerts Summary.",
    ],
    [[{ ...performance, enabled: false }], "sections", "At least one section must be enabled."],
    [[], "sections", "At least one section must be enabled."],
  ] as const)("%j is refused at %s", (sent, field, message) => {
    const bodies = sent.map((section) => ({ ...section, fields: [...section.fields] }));
    expect(composeSections(bodies)).toEqual({ kind: "problem", field, message });
  });
});

test("§3 the three sample templates follow the rules, and without a template a report prints everything", () => {
  expect(sampleTemplates.map(({ name, isActive }) => [name, isActive])).toEqual([
    ["Monthly Site Report", true],
    ["Performance Only Report", true],
    ["Maintenance Report", false],
  ]);
  for (const { sections } of sampleTemplates) {
    const sent = answeredSections(sections).map(({ type, enabled, order, fields }) => ({
      type,
      enabled,
      order,
      fields,
    }));
    expect(composed(sent)).toEqual(sections);
  }
  expect(printedSections(sampleTemplates[0]?.sections ?? [])).toEqual(allSections);
});

test("§3 names of templates are compared trimmed, in any case", () => {
  expect(templateNameKey("  Monthly SITE Report ")).toBe(templateNameKey("monthly site report"));
  expect(templateNameKey("E\u0301t\u00e9")).toBe(templateNameKey("\u00c9T\u00c9"));
});
