import fc from "fast-check";
import { expect, test } from "vitest";
import { mockReading } from "./mock-reading.ts";

test("§9 Simulated fallback status values: battery 40 to 99, main 40 to 79, brush 30 to 59, timestamp Mock", () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (value) => {
      const reading = mockReading(() => value);
      expect(reading.timestamp).toBe("Mock");
      for (const [figure, low, high] of [
        [reading.batteryPercent, 40, 99],
        [reading.mainMotorSpeed, 40, 79],
        [reading.brushMotorSpeed, 30, 59],
      ] as const) {
        expect(Number.isInteger(figure)).toBe(true);
        expect(figure).toBeGreaterThanOrEqual(low);
        expect(figure).toBeLessThanOrEqual(high);
      }
    }),
  );
});

test("§9 Simulated fallback status values: both ends are reached", () => {
  expect(mockReading(() => 0)).toMatchObject({ batteryPercent: 40, mainMotorSpeed: 40, brushMotorSpeed: 30 });
  expect(mockReading(() => 0.999_999)).toMatchObject({ batteryPercent: 99, mainMotorSpeed: 79, brushMotorSpeed: 59 });
});
