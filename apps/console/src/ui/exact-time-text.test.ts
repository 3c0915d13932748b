import { expect, test } from "vitest";
import { exactTimeText, zoneText } from "./exact-time-text.ts";

test("exact times: day, month and 24 hours in their one order, whatever the language of the browser; the zone is told", () => {
  const at = new Date(2026, 5, 1, 16, 5, 9);
  expect(exactTimeText(at)).toBe("1 Jun 2026, 16:05:09");
  expect([zoneText("Asia/Calcutta"), zoneText("Europe/Madrid")]).toEqual(["Asia/Kolkata", "Europe/Madrid"]);
});
