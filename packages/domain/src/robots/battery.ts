/** §9 Battery colour: above 50 percent good, above 20 fair, else poor. */
export type BatteryLevel = "good" | "fair" | "poor";

export function batteryLevelOf(batteryPercent: number): BatteryLevel {
  if (batteryPercent > 50) return "good";
  return batteryPercent > 20 ? "fair" : "poor";
}
