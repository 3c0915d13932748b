import { expect, test } from "vitest";
import { exactTimeText, zoneText } from "./exact-time-text.ts";

test("exact times: day, month and 24 hours always in the same order, whatever the browser's language; the zone is shown", () => {
  const at = new Date(2026, 5, 1, 16, 5, 9);
  expect(exactTimeText(at)).toBe("1 Jun 2026, 16:05:09");
  expect([zoneText("Asia/Calcutta"), zoneText("Europe/Madrid")]).toEqual(["Asia/Kolkata", "Europe/Madrid"]);
});
