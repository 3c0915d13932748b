import { live, type LiveEvent } from "@suncrew/contract/live/live.ts";
import { createRobot, deleteRobot, updateRobot } from "@suncrew/contract/robots/robot-forms.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import { setState, type TestRobot } from "../../../test/fixtures.ts";

let harness: CommandHarness;
beforeAll(async () => {
  harness = await CommandHarness.open({ servers: 2, more: 8 });
  for (const robot of harness.moreRobots) await harness.live(robot);
});
afterAll(() => harness.close());

const form = { installation_date: "2024-02-29", motor_type: "BLDC", control_type: "PLC" };
const bodyOf = ({ serial, siteId }: TestRobot) => ({
  site_id: siteId,
  robot_name: serial,
  serial_number: serial,
  ...form,
});

function more(nth: number): TestRobot {
  const robot = harness.moreRobots[nth];
  if (robot === undefined) throw new Error(`The harness has no robot ${nth}.`);
  return robot;
}

describe("§7 Robots: a device that is connected already", () => {
  test("becomes a robot that is live immediately, though its earlier messages were dropped", async () => {
    const admin = await harness.server.as("admin");
    const device = more(0);
    await admin.ask(deleteRobot, { params: { id: device.id } });
    const { robotId } = await admin.ask(createRobot, { body: bodyOf(device) });
    const robot = { ...device, id: robotId };
    await harness.live(robot);
    expect((await harness.state(robot)).session).toBeGreaterThan(0);
    expect((await harness.press("START", { robot })).status).toBe(200);
    expect((await harness.press("STOP", { robot })).status).toBe(200);
  });

  test("takes the place of another machine, whose messages no longer count, whatever its session", async () => {
    const admin = await harness.server.as("admin");
    const [former, device] = [more(1), more(2)];
    await admin.ask(deleteRobot, { params: { id: device.id } });
    // The former machine has connected more often than the new one.
    await setState(harness.db, former.id, { session: 999 });
    const body = { ...bodyOf(former), serial_number: device.serial };
    await admin.ask(updateRobot, { params: { id: former.id }, body });
    await harness.live(former);
    expect((await harness.state(former)).session).toBe(harness.robot(device).truth().session);
    const robot = { ...former, serial: device.serial };
    expect((await harness.press("START", { robot })).status).toBe(200);
    expect((await harness.press("STOP", { robot })).status).toBe(200);
    expect((await harness.press("START", { robot: former })).status).toBe(404);
  });
});

describe("§7 Robots: delete against START", () => {
  test("a deleted robot is never started, and a started one is never deleted", async () => {
    const outcomes = new Set<string>();
    for (const robot of harness.moreRobots.slice(3)) {
      const admin = await harness.server.as("admin");
      const other = harness.servers[1] ?? harness.server;
      const [deleted, started] = await Promise.all([
        admin.call(deleteRobot, { params: { id: robot.id } }),
        harness.press("START", { robot, on: other }),
      ]);
      outcomes.add(`${deleted.status} ${started.status}`);
      const starts = (await harness.commands(robot)).filter(({ verb }) => verb === "START");
      expect(starts).toHaveLength(deleted.status === 200 ? 0 : 1);
      expect(harness.robot(robot).truth().motion).toBe(deleted.status === 200 ? "STOPPED" : "MOVING");
    }
    for (const outcome of outcomes) expect(["200 404", "400 200"]).toContain(outcome);
  });
});

test("§2 Live: other people's consoles learn of an added robot by a new stream, and of an edited one by its version", async () => {
  const { app } = harness.server;
  await app.http.listen({ port: 0, host: "127.0.0.1" });
  const address = app.http.server.address();
  const port = typeof address === "object" ? address?.port : 0;
  const owner = await harness.server.as("owner");
  const open = async () => {
    const response = await fetch(`http://127.0.0.1:${port}${live.path}`, {
      headers: { authorization: `Bearer ${owner.token}` },
    });
    return eventsOf(response);
  };
  const { ownRobot2 } = harness.fixtures;
  const events = await open();
  const admin = await harness.server.as("admin");
  await admin.ask(updateRobot, { params: { id: ownRobot2.id }, body: { ...bodyOf(ownRobot2), robot_name: "East" } });
  await until(events, (event) => {
    return (
      event.type === "update" && event.robots.some((robot) => robot.robot_id === ownRobot2.id && robot.version === 2)
    );
  });
  await admin.ask(deleteRobot, { params: { id: harness.fixtures.ownRobot.id } });
  await until(events, (event) => event.type === "end" && event.reason === "scope");
  const again = await until(await open(), (event) => event.type === "snapshot");
  const ids = again.type === "snapshot" ? again.robots.map(({ robot_id }) => robot_id) : [];
  expect(ids).toContain(ownRobot2.id);
  expect(ids).not.toContain(harness.fixtures.ownRobot.id);
});

async function* eventsOf(response: Response): AsyncGenerator<LiveEvent> {
  let rest = "";
  for await (const bytes of response.body ?? []) {
    rest += Buffer.from(bytes).toString("utf8");
    const lines = rest.split("\n\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: ")) yield live.response.parse(JSON.parse(line.slice(6)));
  }
}

async function until(events: AsyncGenerator<LiveEvent>, isIt: (event: LiveEvent) => boolean): Promise<LiveEvent> {
  for (;;) {
    const next = await events.next();
    if (next.done === true) throw new Error("the stream has ended");
    if (isIt(next.value)) return next.value;
  }
}
