import fc from "fast-check";
import { expect, test } from "vitest";
import {
  auditChainBrokenAlert,
  backupOverdueAlert,
  channelFailingAlert,
  endsWhenAcknowledged,
  isAboutMore,
  reportFailedAlert,
  rolloutPausedAlert,
  serverClockAlert,
  signInLockedAlert,
  siteSoiledAlert,
} from "./server-alerts.ts";
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

test("Alerts: contact points that messages do not reach are named, in a fixed order, and a few of many", () => {
  expect(channelFailingAlert(["Ravi's phone", "Asha's mail"])).toMatchObject({
    severity: "WARNING",
    text: expect.stringMatching(/^Messages cannot be delivered to Asha's mail and Ravi's phone\./) as string,
    params: { contacts: [{ name: "Asha's mail" }, { name: "Ravi's phone" }] },
  });
  expect(channelFailingAlert(["D", "C", "B", "A"]).text).toContain(" to A, B and 2 others.");
  expect(channelFailingAlert(["C", "B", "A"]).text).toContain(" to A, B and 1 other.");
});

test("Alerts: webhooks that nothing reaches are named with the contact points, or alone", () => {
  expect(channelFailingAlert(["Asha's mail"], ["Depot"])).toMatchObject({
    text: expect.stringMatching(
      /^Messages and events cannot be delivered to Asha's mail and the webhook Depot\./,
    ) as string,
    params: { contacts: [{ name: "Asha's mail" }], webhooks: [{ name: "Depot" }] },
  });
  expect(channelFailingAlert([], ["Depot"]).text).toMatch(/^Events cannot be delivered to the webhook Depot\./);
});

test("Alerts: a rollout that paused itself says why, and so do several", () => {
  const [one, two] = [
    { rollout: 3, version: "2.1.0", reason: "Its first robot failed." },
    { rollout: 8, version: "2.2.0", reason: "More than 10 % failed." },
  ];
  expect(rolloutPausedAlert([one]).text).toBe("Rollout 3 of firmware 2.1.0 has paused itself. Its first robot failed.");
  expect(rolloutPausedAlert([two, one]).text).toBe(
    "2 firmware rollouts have paused themselves. Rollout 3 of firmware 2.1.0: Its first robot failed. Rollout 8 of firmware 2.2.0: More than 10 % failed.",
  );
});

test("Alerts: a monthly report that was given up, or its mail, is past: acknowledging ends it, as it ends a lockout", () => {
  const failed = { month: "May 2026", reason: "Because." };
  expect(reportFailedAlert({ what: "REPORT", ...failed }).text).toBe(
    "The monthly report for May 2026 could not be generated. Because.",
  );
  expect(reportFailedAlert({ what: "MAIL", ...failed }).text).toBe(
    "The monthly report for May 2026 was not mailed to everybody. Because.",
  );
  expect(["REPORT_FAILED", "SIGN_IN_LOCKED"].map((code) => endsWhenAcknowledged("SERVER", code))).toEqual([true, true]);
  expect(["AUDIT_CHAIN_BROKEN", "BACKUP_OVERDUE"].some((code) => endsWhenAcknowledged("SERVER", code))).toBe(false);
});

test("Alerts: a lockout names the accounts, and an audit that was changed the first difference", () => {
  const until = "2026-06-15T06:45:00.000Z";
  expect(
    signInLockedAlert([
      { username: "ravi", until },
      { username: "asha", until },
    ]).text,
  ).toMatch(/^Sign-in as Super Admin asha and ravi was locked/);
  expect(auditChainBrokenAlert({ wrong: "The row with number 7 was removed.", number: 7, head: null })).toMatchObject({
    severity: "CRITICAL",
    text: expect.stringMatching(/ The row with number 7 was removed\.$/) as string,
  });
});

test("Alerts: a backup is overdue after the configured days, and never where none was made or none is expected", () => {
  const now = new Date("2026-06-15T06:30:00Z");
  const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);
  expect(backupOverdueAlert(daysAgo(8), 8, now)).toBeNull();
  expect(backupOverdueAlert(daysAgo(8.1), 8, now)?.text).toMatch(/^The last backup is of 2026-06-07, more than 8 days/);
  expect(backupOverdueAlert(daysAgo(2), 1, now)?.text).toContain("more than 1 day ago");
  expect(backupOverdueAlert(daysAgo(100), 0, now)).toBeNull();
  expect(backupOverdueAlert(null, 8, now)).toBeNull();
});

test("an alert about several things is about more with another one, not with other words about the same", () => {
  const failing = (...names: string[]) => channelFailingAlert(names).params;
  expect(isAboutMore(failing("Desk", "Phone"), failing("Desk"))).toBe(true);
  expect(isAboutMore(failing("Phone", "Phone"), failing("Phone"))).toBe(true);
  expect(isAboutMore(failing("Desk"), failing("Desk", "Phone"))).toBe(false);
  const full = (percent: number, ...folders: string[]) => ({
    disks: folders.map((folder) => ({ server: "one", folder, free: `${percent} GB`, percent })),
  });
  expect(isAboutMore(full(2, "/data"), full(3, "/data"))).toBe(false);
  expect(isAboutMore(full(3, "/data", "/"), full(3, "/data"))).toBe(true);
});

test.each([
  [0.9501, 5, false, null],
  [0.95, 5, false, 5],
  [0.9601, 5, true, null],
  [0.96, 5, true, 4],
  [0.994, 0.5, false, 0.6],
  [0.7, 50, false, null],
])("a site that still gives %d of its energy, with a limit of %d %, open already: %s", (value, limit, isOpen, loss) => {
  const alert = siteSoiledAlert({ ratio: { value, low: value - 0.02, high: value + 0.002 }, limit, isOpen, factor: 1 });
  expect(alert?.params["loss"] ?? null).toBe(loss);
});

test("the alert of a soiled site says that it is modelled, and by how much it may be wrong", () => {
  const soiled = { ratio: { value: 0.943, low: 0.894, high: 0.9699 }, limit: 5, isOpen: false };
  expect(siteSoiledAlert({ ...soiled, factor: 1 })).toEqual({
    code: "SITE_SOILED",
    severity: "WARNING",
    text: "By model, soiling takes about 6 % of this site's energy: between 3 % and 11 %, as the dust in the air is known only roughly. Nothing was measured. Attention is due from 5 %.",
    params: { loss: 6, low: 3, high: 11, limit: 5 },
  });
  expect(siteSoiledAlert({ ...soiled, factor: 1.4 })).toMatchObject({
    text: expect.stringContaining("By model, with particles \u00d71.4, soiling takes about 6 %"),
    params: { factor: 1.4 },
  });
});
