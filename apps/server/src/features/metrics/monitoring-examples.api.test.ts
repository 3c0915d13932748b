import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { createTestApp } from "../../../test/test-app.ts";
import { repositoryDir } from "../../process/data-folder.ts";

const read = (path: string) => readFileSync(join(repositoryDir, path), "utf8");

const ruleSchema = z.strictObject({
  alert: z.string().regex(/^Suncrew[A-Z]\w+$/),
  expr: z.string(),
  for: z.string().optional(),
  labels: z.strictObject({ severity: z.enum(["critical", "warning"]) }),
  annotations: z.strictObject({ summary: z.string(), description: z.string(), runbook: z.string() }),
});
const rules = z
  .object({ groups: z.array(z.object({ name: z.string(), rules: z.array(ruleSchema) })) })
  .parse(parse(read("deploy/prometheus-rules.yaml")))
  .groups.flatMap((group) => group.rules);

const datasource = z.object({ type: z.literal("prometheus"), uid: z.literal("${datasource}") });
const panelSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("row"), title: z.string().min(1) }),
  z.object({
    type: z.enum(["stat", "timeseries"]),
    title: z.string().min(1),
    datasource,
    fieldConfig: z.object({ defaults: z.object({ unit: z.string() }) }),
    targets: z.array(z.object({ expr: z.string(), datasource })).min(1),
  }),
]);
const dashboard = z
  .object({
    templating: z.object({ list: z.array(z.object({ name: z.string(), query: z.unknown() })) }),
    panels: z.array(panelSchema),
  })
  .parse(JSON.parse(read("deploy/grafana-dashboard.json")));

const expressions = [
  ...rules.map(({ alert, expr }) => ({ where: alert, expr })),
  ...dashboard.panels.flatMap((panel) =>
    panel.type === "row" ? [] : panel.targets.map(({ expr }) => ({ where: panel.title, expr })),
  ),
  ...dashboard.templating.list.map(({ name, query }) => ({ where: `$${name}`, expr: JSON.stringify(query) })),
];
const metricNames = (expr: string) => expr.match(/\b(?:suncrew|process|nodejs)_[a-z0-9_]+/g) ?? [];

describe("open to other programs: what deploy/ brings for Prometheus and Grafana", () => {
  /** Names of samples that /metrics has, or will have once something was counted. */
  let known: ReadonlySet<string>;
  beforeAll(async () => {
    const metricsToken = "a-token-that-only-tests-have";
    const server = await createTestApp({ settings: { metricsToken } });
    const headers = { authorization: `Bearer ${metricsToken}` };
    const { text } = await (await server.as(null)).raw("/metrics", { headers });
    await server.close();
    known = new Set(
      [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = "", type]) =>
        type === "histogram" ? ["_bucket", "_sum", "_count"].map((part) => name + part) : [name],
      ),
    );
  });

  test("every metric that a rule or a panel names is in the server's own answer", () => {
    expect(known.size).toBeGreaterThan(50);
    expect(expressions.length).toBeGreaterThan(50);
    const unknown = expressions.flatMap(({ where, expr }) =>
      metricNames(expr).flatMap((name) => (known.has(name) ? [] : [`${where}: ${name}`])),
    );
    expect(unknown).toEqual([]);
  });

  test("every metric of Suncrew's own is on the dashboard or in a rule", () => {
    const used = new Set(expressions.flatMap(({ expr }) => metricNames(expr).map(familyOf)));
    const own = new Set([...known].filter((name) => name.startsWith("suncrew_")).map(familyOf));
    // How many schedules are due says less than for how long.
    expect([...own].filter((name) => !used.has(name))).toEqual(["suncrew_schedules_due"]);
  });

  test("each alert names a section of docs/operating.md that exists", () => {
    const headings = [...read("docs/operating.md").matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) => anchorOf(title));
    const anchors = new Set(headings.map((anchor) => `docs/operating.md#${anchor}`));
    expect(rules.filter(({ annotations }) => !anchors.has(annotations.runbook)).map(({ alert }) => alert)).toEqual([]);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });
});

const familyOf = (name: string): string => name.replace(/_(bucket|sum|count)$/, "");

/** As GitHub makes it from a heading. */
const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
