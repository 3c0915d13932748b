import { expect, test } from "vitest";
import { auditFilterOf, changeAuditAddress, clearAuditAddress, isNarrowed, readAuditAddress } from "./audit-address.ts";

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
