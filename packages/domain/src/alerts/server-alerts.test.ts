import fc from "fast-check";
import { expect, test } from "vitest";
import { endsWhenAcknowledged, serverClockAlert } from "./server-alerts.ts";
import { lowBattery } from "./low-battery.ts";

const AHEAD = "The database's time is 600 s ahead of the time that this server counted.";
const JUMPED = "Its clock jumped by 90 s.";

test("protocol rule 12: one server whose clock does not agree is named, with what it refrains from", () => {
  expect(serverClockAlert([{ name: "suncrew-1", words: AHEAD }])).toEqual({
    code: "SERVER_CLOCK",
    severity: "CRITICAL",
    text: `Server suncrew-1 starts no robot, and is neither bridge nor scheduler, until its clocks agree. ${AHEAD}`,
    params: { servers: [{ name: "suncrew-1", words: AHEAD }] },
  });
});

test("protocol rule 12: several servers are each reported with their own text, in a fixed order", () => {
  const [one, two] = [
    { name: "suncrew-1", words: AHEAD },
    { name: "suncrew-2", words: JUMPED },
  ];
  const { text } = serverClockAlert([two, one]);
  expect(text).toBe(
    `2 servers start no robot, and none of them is bridge or scheduler, until their clocks agree. suncrew-1: ${AHEAD} suncrew-2: ${JUMPED}`,
  );
  expect(serverClockAlert([one, two]).text).toBe(text);
});

test("protocol rule 12: a server that was restarted in between is reported once, and acknowledging ends nothing", () => {
  const one = { name: "suncrew-1", words: AHEAD };
  expect(serverClockAlert([one, { ...one }])).toEqual(serverClockAlert([one]));
  expect(endsWhenAcknowledged("SERVER", "SERVER_CLOCK")).toBe(false);
});

const shown = (batteryPercent: number, charging = false, codes: readonly string[] = []) => {
  const said = lowBattery({ batteryPercent, charging, listed: codes.map((code) => ({ code })) });
  return typeof said === "string" ? said : said.severity;
};

test.each([
  [9.9, false, "CRITICAL"],
  [10, false, "WARNING"],
  [19.9, false, "WARNING"],
  [19.9, true, "WARNING"],
  [20, false, "stays"],
  [20, true, "over"],
  [24.9, false, "stays"],
  [25, false, "over"],
  [100, false, "over"],
] as const)("Alerts: a battery at %d %%, charging %s: %s", (battery, charging, said) => {
  expect(shown(battery, charging)).toBe(said);
});

test("Alerts: a robot that reports its low battery itself is trusted, and it is not reported twice", () => {
  expect(shown(5, false, ["DUST", "LOW_BATTERY"])).toBe("over");
  expect(shown(5, false, ["DUST"])).toBe("CRITICAL");
});

test("Alerts: property: a battery level that fluctuates by less than five per cent raises one alert", () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 100, noNaN: true }),
      fc.array(fc.double({ min: 0, max: 4.9 })),
      (low, sways) => {
        let raised = 0;
        let isOpen = false;
        for (const battery of sways.map((sway) => Math.min(100, low + sway))) {
          const said = shown(battery);
          if ((said === "WARNING" || said === "CRITICAL") && !isOpen) [raised, isOpen] = [raised + 1, true];
          if (said === "over") isOpen = false;
        }
        expect(raised).toBeLessThanOrEqual(1);
      },
    ),
  );
});
