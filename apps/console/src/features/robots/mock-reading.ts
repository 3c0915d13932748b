/** §9 Simulated fallback status values, both ends included. */
const BATTERY_RANGE = [40, 99] as const;
const MAIN_SPEED_RANGE = [40, 79] as const;
const BRUSH_SPEED_RANGE = [30, 59] as const;

/** What stands in for the last reading in place of a time. */
export const MOCK_TIMESTAMP = "Mock";

/** Simulated values of a robot that did not answer; demo mode alone makes them and nothing stores them. */
export interface MockReading {
  readonly batteryPercent: number;
  readonly mainMotorSpeed: number;
  readonly brushMotorSpeed: number;
  readonly timestamp: typeof MOCK_TIMESTAMP;
}

/** `random` answers from 0 up to, not including, 1. */
export function mockReading(random: () => number): MockReading {
  const within = ([low, high]: readonly [number, number]) => low + Math.floor(random() * (high - low + 1));
  return {
    batteryPercent: within(BATTERY_RANGE),
    mainMotorSpeed: within(MAIN_SPEED_RANGE),
    brushMotorSpeed: within(BRUSH_SPEED_RANGE),
    timestamp: MOCK_TIMESTAMP,
  };
}
