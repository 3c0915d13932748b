import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contactPointList } from "@suncrew/contract/notifications/contact-points.ts";
import { demoMessages } from "@suncrew/contract/notifications/deliveries.ts";
import { notificationRules } from "@suncrew/contract/notifications/notification-rules.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { DemoWatcher } from "../../test/demo-watcher.ts";
import { runSuncrew, type SuncrewRun } from "../../test/suncrew-process.ts";
import { demoRobots } from "./demo-fleet.ts";

let dataDir: string;
const runs: SuncrewRun[] = [];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "suncrew-mailbox-"));
});

afterEach(async () => {
  for (const run of runs.splice(0)) {
    if (run.child.exitCode === null && run.child.signalCode === null) await run.interrupt();
  }
});

afterAll(async () => {
  await rm(dataDir, { recursive: true, force: true });
});

function run(): SuncrewRun {
  const started = runSuncrew(["demo"], { DATA_DIR: dataDir, PORT: "0", MQTT_PORT: "0" });
  runs.push(started);
  return started;
}

function slackAddressOf({ addresses }: { addresses: readonly { channel: string; address: string }[] }): string {
  return addresses.find(({ channel }) => channel === "SLACK")?.address ?? "";
}

describe("the demo's mailbox", () => {
  test("a fault injected in the simulator is told by several channels; addresses stay valid where a port is taken", async () => {
    const first = run();
    const { url, controlAddress } = await first.ready();
    const admin = await DemoWatcher.signIn(url);
    expect((await admin.ask(notificationRules)).map(({ name }) => name).toSorted()).toEqual([
      "Partner's sites",
      "Robots in danger",
    ]);
    const points = await admin.ask(contactPointList);
    const ofSlack = points.find(({ channel }) => channel === "SLACK");
    const before = slackAddressOf(await admin.ask(demoMessages));
    expect(ofSlack?.address).toBe(new URL(before).host);

    const robot = demoRobots.find(({ fault }) => fault === undefined)?.serial ?? "";
    await admin.untilOnline(demoRobots.filter(({ fault }) => fault !== "away").length);
    const jammed = await fetch(`${controlAddress}/robots/${robot}/faults`, {
      method: "POST",
      body: JSON.stringify({ kind: "jam" }),
    });
    expect(jammed.ok).toBe(true);
    const isTold = ({ messages }: { messages: readonly { channel: string; text: string }[] }) =>
      ["EMAIL", "SLACK", "TELEGRAM"].every((wanted) =>
        messages.some(({ channel, text }) => channel === wanted && /jammed/.test(text)),
      );
    const told = await admin.until(demoMessages, isTold);
    expect(told.messages.every(({ at }, index, all) => index === 0 || at <= (all[index - 1]?.at ?? ""))).toBe(true);
    const mails = await admin.ask(demoMessages, "?channel=EMAIL");
    expect(new Set(mails.messages.map(({ channel }) => channel))).toEqual(new Set(["EMAIL"]));
    await first.interrupt();
    expect(first.printed()).not.toMatch(/ERROR|FATAL/);

    const taken = createServer().listen(Number(new URL(before).port), "127.0.0.1");
    await once(taken, "listening");
    const second = run();
    const again = await DemoWatcher.signIn((await second.ready()).url);
    const after = slackAddressOf(await again.ask(demoMessages));
    taken.close();
    expect(after).not.toBe(before);
    const moved = await again.ask(contactPointList);
    expect(moved.map(({ name }) => name)).toEqual(points.map(({ name }) => name));
    expect(moved.find(({ channel }) => channel === "SLACK")?.address).toBe(new URL(after).host);
  });
});
