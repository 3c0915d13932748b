import { expect, test } from "vitest";
import { auditLabel, changesOf, matchAuditLabels } from "./audit-changes.ts";

test("audit view: only changes are shown, but everything of created and deleted things", () => {
  expect(
    changesOf({
      action: "UPDATE_ROBOT",
      before: { name: "A", speed: 10, tags: ["x"] },
      after: { name: "A", speed: 20, tags: ["y", "z"] },
    }),
  ).toEqual([
    { field: "speed", before: "10", after: "20" },
    { field: "tags", before: "x", after: "y, z" },
  ]);
  expect(changesOf({ action: "CREATE_THING", before: null, after: { name: "A", on: false, none: null } })).toEqual([
    { field: "name", before: null, after: "A" },
    { field: "on", before: null, after: "false" },
  ]);
  expect(changesOf({ action: "DELETE_THING", before: { name: "A" }, after: null })).toEqual([
    { field: "name", before: "A", after: null },
  ]);
  expect(changesOf({ action: "SIGN_OUT", before: null, after: null })).toEqual([]);
});

test("audit view: a field that only one side of an edit recorded is no change; what a deletion recorded is", () => {
  const before = { city: "Bikaner", built_in: false, created_at: "2026-01-01T00:00:00.000Z" };
  expect(changesOf({ action: "UPDATE_PARTNER", before, after: { city: "Barmer" } })).toEqual([
    { field: "city", before: "Bikaner", after: "Barmer" },
  ]);
  const firmware = {
    before: { serial_number: "SCR-1003", firmware: "1.0.0" },
    after: { firmware: "2.0.0", rollout_id: 1 },
  };
  expect(changesOf({ action: "UPDATE_FIRMWARE", ...firmware })).toEqual([
    { field: "firmware", before: "1.0.0", after: "2.0.0" },
  ]);
  expect(changesOf({ action: "DELETE_PARTNER", before: { name: "A" }, after: { sessions_ended: 1 } })).toEqual([
    { field: "name", before: "A", after: null },
    { field: "sessions_ended", before: null, after: "1" },
  ]);
});

test("audit view: if there is a name beside an id, only the name is shown", () => {
  const before = { site_id: 1, site: "Bhadla", robot_ids: [1], robots: ["Row 1 (S-1)"], template_id: 1 };
  const after = { site_id: 2, site: "Rewa", robot_ids: [1, 2], robots: ["Row 1 (S-1)", "S-2"], template_id: 2 };
  expect(changesOf({ action: "UPDATE_THING", before, after })).toEqual([
    { field: "site", before: "Bhadla", after: "Rewa" },
    { field: "robots", before: "Row 1 (S-1)", after: "Row 1 (S-1), S-2" },
    { field: "template_id", before: "1", after: "2" },
  ]);
});

test("audit view: actions and things are found by the words that are shown, and by those that are stored", () => {
  expect(["SIGN_IN", "UPDATE_SITE", "kept_report"].map(auditLabel)).toEqual([
    "Sign in",
    "Update site",
    "Monthly report",
  ]);
  const actions = ["SIGN_IN", "SIGN_OUT", "UPDATE_SITE", "kept_report"];
  expect(matchAuditLabels(actions, "Sign in")).toEqual(["SIGN_IN"]);
  expect(matchAuditLabels(actions, "sign_")).toEqual(["SIGN_IN", "SIGN_OUT"]);
  expect(matchAuditLabels(actions, "date S")).toEqual(["UPDATE_SITE"]);
  expect(matchAuditLabels(actions, "monthly")).toEqual(["kept_report"]);
});
