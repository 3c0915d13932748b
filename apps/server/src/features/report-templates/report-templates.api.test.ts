import {
  createReportTemplate,
  deleteReportLogo,
  deleteReportTemplate,
  LOGO_MAX_BYTES,
  reportSettings,
  reportTemplates,
  updateReportLogo,
  updateReportSettings,
  updateReportTemplate,
} from "@suncrew/contract/report-templates/report-templates.ts";
import type { SentBodyOf } from "@suncrew/contract/http/route.ts";
import { sampleTemplates } from "@suncrew/domain/report-templates/sample-templates.ts";
import { allSections, answeredSections } from "@suncrew/domain/report-templates/template-sections.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { jpegOf, sampleLogo } from "../../../test/sample-logo.ts";
import { createTestApp, TEST_NOW, type TestApp } from "../../../test/test-app.ts";
import type { TestClient } from "../../../test/test-client.ts";
import { readLogoImage, readPrintedTemplate } from "./public.ts";

type Body = SentBodyOf<typeof createReportTemplate>;

const [MONTHLY, PERFORMANCE, MAINTENANCE] = [1, 2, 3];
const NOBODYS = 999_999;
let server: TestApp;
let admin: TestClient;
beforeEach(async () => {
  server = await createTestApp();
  admin = await server.as("admin");
});
afterEach(() => server.close());

const alertsOnly: Body = {
  name: " Alerts of the month ",
  description: "What went wrong",
  sections: [
    {
      type: "alerts",
      enabled: true,
      order: 1,
      fields: [
        { name: "resolved_alerts", enabled: true },
        { name: "critical_alerts", enabled: true },
      ],
    },
  ],
};

const names = async (client: TestClient) => (await client.ask(reportTemplates)).map(({ name }) => name);
const audits = async () =>
  server.db
    .selectFrom("audit")
    .select(["action", "entity_id", "outcome", "reason", "before", "after"])
    .where("entity", "in", ["report_template", "report_settings"])
    .orderBy("id")
    .execute();

describe("§3 Report template", () => {
  test("the three samples exist, as in the catalogue; a PARTNER gets the active ones", async () => {
    const told = await admin.ask(reportTemplates);
    expect(
      told.map(({ name, description, isActive, sections }) => ({ name, description, isActive, sections })),
    ).toEqual(sampleTemplates.map(({ sections, ...sample }) => ({ ...sample, sections: answeredSections(sections) })));
    expect(await names(await server.as("owner"))).toEqual(["Monthly Site Report", "Performance Only Report"]);
  });

  test("a template is created, shown with all its sections, applied when printing, and recorded", async () => {
    const { templateId } = await admin.ask(createReportTemplate, { body: alertsOnly });
    const made = (await admin.ask(reportTemplates)).at(-1);
    expect(made).toMatchObject({
      id: templateId,
      name: "Alerts of the month",
      createdBy: "Anita Rao",
      createdAt: TEST_NOW.toISOString(),
      isActive: true,
      version: 1,
    });
    expect(made?.sections.map(({ type, enabled, order }) => `${order} ${type} ${enabled}`)).toEqual([
      "1 alerts true",
      "2 performance false",
      "3 activities false",
      "4 robot_health false",
      "5 maintenance false",
    ]);
    expect(await readPrintedTemplate(server.db, templateId)).toEqual({
      name: "Alerts of the month",
      sections: [{ type: "alerts", fields: ["critical_alerts", "resolved_alerts"] }],
    });
    expect(await audits()).toMatchObject([
      {
        action: "CREATE_TEMPLATE",
        entity_id: `${templateId}`,
        outcome: "DONE",
        after: { name: "Alerts of the month" },
      },
    ]);
  });

  test("without a template everything is printed; an inactive or deleted one answers 404 in words", async () => {
    expect(await readPrintedTemplate(server.db, null)).toEqual({ name: null, sections: allSections });
    for (const id of [MAINTENANCE, NOBODYS]) {
      await expect(readPrintedTemplate(server.db, id)).rejects.toMatchObject({
        status: 404,
        message: "Report template not found",
      });
    }
  });

  test("§5: a body that breaks a rule is 400 with the field named", async () => {
    const wrong = [
      [{ ...alertsOnly, name: "  " }, "name", "Name is required"],
      [{ ...alertsOnly, sections: [] }, "sections", "At least one section must be enabled."],
      [
        {
          ...alertsOnly,
          sections: [{ type: "alerts", enabled: true, order: 1, fields: [{ name: "moon", enabled: true }] }],
        },
        "sections.0.fields.0.name",
        'Alerts Summary has no field "moon".',
      ],
      [
        { ...alertsOnly, sections: [{ type: "alerts", enabled: true, order: 1, fields: [] }] },
        "sections.0.fields",
        "Critical Alerts is required in Alerts Summary.",
      ],
    ] as const;
    for (const [body, field, message] of wrong) {
      for (const sent of [
        { url: "/api/report-templates", method: "POST" },
        { url: `/api/report-templates/${PERFORMANCE}`, method: "PUT" },
      ] as const) {
        const answer = await admin.raw(sent.url, { method: sent.method, body });
        expect(answer).toMatchObject({ status: 400, body: { errors: [{ field, message }] } });
      }
    }
  });

  test("a name that another has in any case is 409, a template's own is not; the refusals are recorded", async () => {
    const body = { ...alertsOnly, name: " performance ONLY report" };
    const message = "A report template with this name already exists. Please choose a different name.";
    const answer = { status: 409, body: { message, errors: [{ field: "name", message }] } };
    expect(await admin.call(createReportTemplate, { body })).toMatchObject(answer);
    const params = { templateId: MONTHLY };
    expect(await admin.call(updateReportTemplate, { params, body })).toMatchObject(answer);
    await admin.ask(updateReportTemplate, { params: { templateId: PERFORMANCE }, body });
    expect((await audits()).map(({ action, outcome, reason }) => [action, outcome, reason])).toEqual([
      ["CREATE_TEMPLATE", "REFUSED", message],
      ["UPDATE_TEMPLATE", "REFUSED", message],
      ["UPDATE_TEMPLATE", "DONE", null],
    ]);
  });

  test("an edit based on an outdated version is 409 and changes nothing", async () => {
    const params = { templateId: PERFORMANCE };
    await admin.ask(updateReportTemplate, { params, body: { ...alertsOnly, isActive: false, version: 1 } });
    const late = await admin.call(updateReportTemplate, { params, body: { ...alertsOnly, name: "Late", version: 1 } });
    expect(late).toMatchObject({ status: 409, body: { errors: [{ field: "version" }] } });
    expect(await names(admin)).toEqual(["Monthly Site Report", "Alerts of the month", "Maintenance Report"]);
    expect((await audits()).at(0)).toMatchObject({
      before: { name: "Performance Only Report", is_active: true },
      after: { name: "Alerts of the month", is_active: false },
    });
  });

  test("a deleted one disappears, and its name is free", async () => {
    const params = { templateId: MAINTENANCE };
    await admin.ask(deleteReportTemplate, { params });
    expect(await admin.call(deleteReportTemplate, { params })).toMatchObject({
      status: 404,
      body: { message: "Report template not found" },
    });
    await admin.ask(createReportTemplate, { body: { ...alertsOnly, name: "Maintenance Report" } });
    expect(await names(admin)).toHaveLength(3);
  });
});

describe("Report settings", () => {
  test("off at first; named settings change, the rest stays; without a mail server they say so", async () => {
    const off = {
      auto_generate_monthly: false,
      email_notifications: false,
      template_id: null,
      send_to_partners: false,
    };
    const first = { ...off, recipients: [], email_configured: false, logo: null, version: 1 };
    expect(await admin.ask(reportSettings)).toEqual(first);
    await admin.ask(updateReportSettings, { body: { auto_generate_monthly: true, template_id: MONTHLY } });
    await admin.ask(updateReportSettings, {
      body: { recipients: ["a@sun.example", "A@SUN.example", "b@sun.example"] },
    });
    const now = { ...first, auto_generate_monthly: true, template_id: MONTHLY, version: 3 };
    expect(await admin.ask(reportSettings)).toEqual({ ...now, recipients: ["a@sun.example", "b@sun.example"] });
    expect(await audits()).toMatchObject([
      { action: "UPDATE_REPORT_SETTINGS", before: { template_id: null }, after: { template_id: MONTHLY } },
      { before: { recipients: [] }, after: { recipients: ["a@sun.example", "b@sun.example"] } },
    ]);
    const late = await admin.call(updateReportSettings, { body: { recipients: [], version: 1 } });
    expect(late).toMatchObject({ status: 409, body: { errors: [{ field: "version" }] } });
  });

  test("a template that cannot be chosen is refused, and the chosen one must stay active and exist", async () => {
    const choose = (template_id: number) => admin.call(updateReportSettings, { body: { template_id } });
    expect(await choose(NOBODYS)).toMatchObject({ status: 404, body: { message: "Report template not found" } });
    expect(await choose(MAINTENANCE)).toMatchObject({ status: 400, body: { errors: [{ field: "template_id" }] } });
    expect((await choose(MONTHLY)).status).toBe(200);
    const params = { templateId: MONTHLY };
    const inUse = { status: 409, body: { message: expect.stringMatching(/^The monthly reports use this/) } };
    expect(await admin.call(deleteReportTemplate, { params })).toMatchObject(inUse);
    expect(await admin.call(updateReportTemplate, { params, body: { ...alertsOnly, isActive: false } })).toMatchObject(
      inUse,
    );
    await admin.ask(updateReportTemplate, { params, body: alertsOnly });
    await admin.ask(updateReportSettings, { body: { template_id: null } });
    await admin.ask(deleteReportTemplate, { params });
  });

  test("a Super Admin sets, replaces and removes the logo of the reports; the image itself is not in the audit", async () => {
    const send = (body: Buffer) => admin.raw(updateReportLogo.path, { method: "PUT", body });
    expect(await admin.call(deleteReportLogo, {})).toMatchObject({ status: 404 });
    expect(await send(Buffer.from("<svg>"))).toMatchObject({ status: 400, body: { errors: [{ field: "file" }] } });
    expect(await send(Buffer.alloc(LOGO_MAX_BYTES + 1))).toMatchObject({ status: 413 });
    expect(await admin.ask(reportSettings)).toMatchObject({ logo: null });
    expect(await send(jpegOf())).toMatchObject({ status: 200 });
    expect(await send(sampleLogo)).toMatchObject({ status: 200 });
    const { logo } = await admin.ask(reportSettings);
    const image = { media_type: "image/png", width: 60, height: 20 };
    expect(logo).toEqual({ ...image, base64: readLogoImage(sampleLogo).content.toString("base64") });
    await admin.ask(deleteReportLogo, {});
    expect(await admin.ask(reportSettings)).toMatchObject({ logo: null });
    const jpeg = { ...image, media_type: "image/jpeg" };
    expect((await audits()).filter(({ outcome }) => outcome === "DONE")).toMatchObject([
      { action: "UPDATE_REPORT_LOGO", before: null, after: jpeg },
      { action: "UPDATE_REPORT_LOGO", before: jpeg, after: image },
      { action: "DELETE_REPORT_LOGO", before: image, after: null },
    ]);
    expect(JSON.stringify(await audits())).not.toContain("base64");
  });

  test("§5: an invalid value is 400 with the field named", async () => {
    const wrong = [
      [{ recipients: ["nobody"] }, "recipients.0", "recipients.0 is not an email address"],
      [{ auto_generate_monthly: "yes" }, "auto_generate_monthly", "auto_generate_monthly must be true or false"],
    ] as const;
    for (const [body, field, message] of wrong) {
      const answer = await admin.raw("/api/report-settings", { method: "PUT", body });
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ field, message }] } });
    }
  });
});
