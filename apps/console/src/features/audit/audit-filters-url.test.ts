import { expect, test } from "vitest";
import { clearUrl, readUrl, writeUrl } from "../../platform/url-state.ts";
import { auditFilterOf, auditUrl, isNarrowed } from "./audit-filters-url.ts";

test("audit view: its filters are kept in the URL beside those of the activity log", () => {
  const start = new URLSearchParams("view=audit&q=left");
  const address = {
    search: "brush",
    entity: "robot",
    outcome: "REFUSED" as const,
    from: "2026-06-01",
    to: "2026-06-02",
  };
  const narrowed = writeUrl(auditUrl, start, address);
  expect(readUrl(auditUrl, narrowed)).toEqual({ ...address, action: "" });
  expect(isNarrowed(readUrl(auditUrl, narrowed))).toBe(true);
  const { from = "", to = "", ...rest } = auditFilterOf(readUrl(auditUrl, narrowed));
  expect(rest).toEqual({ search: "brush", entity: "robot", outcome: "REFUSED" });
  expect(Date.parse(to) - Date.parse(from)).toBe(2 * 86_400_000);
  expect(clearUrl(auditUrl, narrowed).toString()).toBe("view=audit&q=left");
  expect(readUrl(auditUrl, new URLSearchParams("ended=MAYBE&since=yesterday"))).toMatchObject({
    outcome: null,
    from: null,
  });
});
