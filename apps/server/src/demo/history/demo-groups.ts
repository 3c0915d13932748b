import type { Frequency } from "@suncrew/contract/schedules/schedules.ts";

/** A group of the demo with its schedule; the times are those of its site. */
export interface DemoGroup {
  readonly name: string;
  readonly serials: readonly string[];
  readonly frequency: Frequency;
  readonly time: string;
  readonly minutes: number;
  readonly skipOnRain: boolean;
  /** For WEEKLY the weekday is that of this day of the month of the beginning; for MONTHLY it is the day itself. */
  readonly dayOfMonth?: number;
}

// One line each is a table to read.
// oxfmt-ignore
export const demoGroups: readonly DemoGroup[] = [
  { name: "Morning rows", serials: ["SCR-1001", "SCR-1002"], frequency: "DAILY", time: "05:30", minutes: 75, skipOnRain: false },
  { name: "Evening rows", serials: ["SCR-1003", "SCR-1004"], frequency: "DAILY", time: "18:15", minutes: 60, skipOnRain: false },
  { name: "Blocks A to C", serials: ["SCR-1005", "SCR-1006", "SCR-1007"], frequency: "DAILY", time: "05:30", minutes: 75, skipOnRain: true },
  { name: "East field", serials: ["SCR-1008", "SCR-1009"], frequency: "WEEKLY", time: "18:15", minutes: 90, skipOnRain: false, dayOfMonth: 6 },
  { name: "North units", serials: ["SCR-1010", "SCR-1011"], frequency: "WEEKLY", time: "07:00", minutes: 110, skipOnRain: false, dayOfMonth: 3 },
  { name: "Both zones", serials: ["SCR-1012", "SCR-1014"], frequency: "WEEKLY", time: "05:30", minutes: 120, skipOnRain: true, dayOfMonth: 1 },
  { name: "Plot 7", serials: ["SCR-1016"], frequency: "MONTHLY", time: "06:30", minutes: 120, skipOnRain: false, dayOfMonth: 12 },
];
