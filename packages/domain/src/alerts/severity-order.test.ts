import { expect, test } from "vitest";
import { compareAlerts, isWorse, type OrderedAlert } from "./severity-order.ts";

const alert = (id: string, severity: OrderedAlert["severity"], minute: number, more: Partial<OrderedAlert> = {}) => ({
  id,
  severity,
  raised_at: new Date(Date.UTC(2026, 2, 1, 6, minute)).toISOString(),
  cleared_at: null,
  acknowledged_at: null,
  ...more,
});
const later = "2026-03-02T00:00:00.000Z";

test("Alerts: the worst first, then unacknowledged ones, then the newest; past ones last", () => {
  const wanted = [
    alert("9", "CRITICAL", 5),
    alert("8", "CRITICAL", 4),
    alert("7", "CRITICAL", 59, { acknowledged_at: later }),
    alert("6", "WARNING", 30),
    alert("10", "INFO", 2),
    // Raised at the same moment: the larger id is the newer.
    alert("5", "INFO", 2),
    alert("4", "INFO", 50, { acknowledged_at: later }),
    alert("3", "INFO", 40, { cleared_at: later }),
    alert("2", "CRITICAL", 39, { cleared_at: later, acknowledged_at: later }),
  ];
  expect(wanted.toReversed().toSorted(compareAlerts)).toEqual(wanted);
});

test("Alerts: severities in their order", () => {
  expect(isWorse("CRITICAL", "WARNING")).toBe(true);
  expect(isWorse("WARNING", "INFO")).toBe(true);
  expect(isWorse("WARNING", "WARNING")).toBe(false);
});
