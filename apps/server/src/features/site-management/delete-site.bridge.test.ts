import { createRobot } from "@suncrew/contract/robots/robot-forms.ts";
import { deleteSite, updateSite } from "@suncrew/contract/sites/site-forms.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";

let harness: CommandHarness;
beforeEach(async () => {
  harness = await CommandHarness.open({ servers: 2 });
  await harness.live();
});
afterEach(() => harness.close());

const remove = async (on = harness.server) =>
  (await on.as("admin")).call(deleteSite, { params: { id: harness.fixtures.ownSiteId } });

const robotRow = () =>
  harness.db
    .selectFrom("robots")
    .select("deleted_at")
    .where("id", "=", harness.fixtures.ownRobot.id)
    .executeTakeFirstOrThrow();

describe("a site is not deleted while a robot there is cleaning", () => {
  test("it is refused while the robot moves, and succeeds once it has stopped", async () => {
    await harness.press("START");
    const refused = await remove();
    expect([refused.status, refused.body]).toEqual([
      409,
      {
        message: 'Site "Ownfield Park" cannot be deleted now. Robot OWN-1 is cleaning. Stop it first.',
        code: "SITE_HAS_MOVING_ROBOTS",
      },
    ]);
    expect(harness.robot().truth().motion).toBe("MOVING");
    await harness.press("STOP");
    expect((await remove()).status).toBe(200);
    const again = await harness.press("START");
    expect([again.status, harness.robot().truth().motion]).toEqual([404, "STOPPED"]);
  });

  test("protocol rule 8: a START and the deletion at once: no robot without a site ever moves", async () => {
    const [, other = harness.server] = harness.servers;
    const [pressed, removed] = await Promise.all([harness.press("START"), remove(other)]);
    const isDeleted = (await robotRow()).deleted_at !== null;
    expect([pressed.status, removed.status, isDeleted, harness.robot().truth().motion]).toEqual(
      isDeleted ? [404, 200, true, "STOPPED"] : [200, 409, false, "MOVING"],
    );
  });

  test("editing its site leaves a robot cleaning, and it can still be stopped", async () => {
    await harness.press("START");
    const body = { name: "Moved", address: "a", district: "b", state: "c", pin_code: "342301" };
    const place = { commissioning_date: "2023-03-31", latitude: 52.52, longitude: 13.405 };
    const params = { id: harness.fixtures.ownSiteId };
    await (await harness.server.as("owner")).ask(updateSite, { params, body: { ...body, ...place } });
    expect(harness.robot().truth().motion).toBe("MOVING");
    expect((await harness.press("STOP", { as: "owner" })).status).toBe(200);
    expect(harness.robot().truth().motion).toBe("STOPPED");
  });

  test("the machine keeps publishing and changes nothing; assigned to a new robot it is online immediately", async () => {
    await remove();
    const { ownRobot, secondSiteId } = harness.fixtures;
    const form = {
      site_id: secondSiteId,
      robot_name: "New",
      serial_number: ownRobot.serial,
      installation_date: "2024-02-29",
    };
    const { robotId } = await (await harness.server.as("owner")).ask(createRobot, { body: form });
    await harness.live({ ...ownRobot, id: robotId });
    const former = await harness.state(ownRobot);
    expect([former.online, former.robot_status]).toEqual([false, "offline"]);
    const pressed = await harness.press("START", { robot: { ...ownRobot, id: robotId, siteId: secondSiteId } });
    expect([pressed.status, harness.robot().truth().motion]).toEqual([200, "MOVING"]);
  });
});
