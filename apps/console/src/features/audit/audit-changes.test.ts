import { expect, test } from "vitest";
import { auditFilterOf, changeAuditAddress, clearAuditAddress, isNarrowed, readAuditAddress } from "./audit-address.ts";
import { changesOf, inWords } from "./audit-changes.ts";

test("audit view: only what changed is told, of new and gone things everything", () => {
  expect(
    changesOf({ before: { name: "A", speed: 10, tags: ["x"] }, after: { name: "A", speed: 20, tags: ["y"] } }),
  ).toEqual([
    { field: "speed", before: "10", after: "20" },
    { field: "tags", before: '["x"]', after: '["y"]' },
  ]);
  expect(changesOf({ before: null, after: { name: "A", on: false, none: null } })).toEqual([
    { field: "name", before: null, after: "A" },
    { field: "on", before: null, after: "false" },
  ]);
  expect(changesOf({ before: { name: "A" }, after: null })).toEqual([{ field: "name", before: "A", after: null }]);
  expect(changesOf({ before: null, after: null })).toEqual([]);
  expect(inWords("UPDATE_SITE")).toBe("Update site");
});

test("audit view: its filters stand in the address beside those of the activity log", () => {
  const start = new URLSearchParams("view=audit&q=left");
  const address = {
    search: "brush",
    entity: "robot",
    outcome: "REFUSED" as const,
    from: "2026-06-01",
    to: "2026-06-02",
  };
  const narrowed = changeAuditAddress(start, address);
  expect(readAuditAddress(narrowed)).toEqual({ ...address, action: "" });
  expect(isNarrowed(readAuditAddress(narrowed))).toBe(true);
  const { from = "", to = "", ...rest } = auditFilterOf(readAuditAddress(narrowed));
  expect(rest).toEqual({ search: "brush", entity: "robot", outcome: "REFUSED" });
  expect(Date.parse(to) - Date.parse(from)).toBe(2 * 86_400_000);
  expect(clearAuditAddress(narrowed).toString()).toBe("view=audit&q=left");
  expect(readAuditAddress(new URLSearchParams("ended=MAYBE&since=yesterday"))).toMatchObject({
    outcome: null,
    from: null,
  });
});
