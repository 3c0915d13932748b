import { describe, expect, it, test } from "vitest";
import { acksIn, INSTALL_MS, RobotHarness, statesIn, updatesIn } from "../../test/robot-harness.ts";

/** A robot that has downloaded an offered file and is installing it. */
function installing(harness = RobotHarness.connected()) {
  const offer = harness.offer();
  harness.deliverOffer(offer);
  const said = harness.downloadEnds(offer.id);
  return { harness, offer, said };
}

describe("a robot that is offered firmware", () => {
  it("protocol rule 13: downloads, installs, restarts and reports the new version", () => {
    const harness = RobotHarness.connected();
    const offer = harness.offer();
    expect(updatesIn(harness.deliverOffer(offer))).toEqual(["DOWNLOADING 0"]);
    expect(harness.work).toEqual([`download ${offer.id}`]);
    const told = [4, 10, 12, 55, 100].flatMap((percent) => updatesIn(harness.downloadProgress(offer.id, percent)));
    expect(told).toEqual(["DOWNLOADING 10", "DOWNLOADING 55", "DOWNLOADING 100"]);
    expect(updatesIn(harness.downloadEnds(offer.id))).toEqual(["INSTALLING 100"]);
    expect(updatesIn(harness.pass(INSTALL_MS - 1))).toEqual([]);
    harness.pass(1);
    expect(harness.work.at(-1)).toBe("restart");
    expect(harness.robot.takeUnsaved()).toBe("before-publishing");
    harness.disconnect();
    harness.losePower();
    const again = harness.connect();
    expect(statesIn(again)).toMatchObject([{ firmware: "3.0.0" }]);
    expect(updatesIn(again)).toEqual(["INSTALLED 100"]);
  });

  it("protocol rule 13: during an update START is BUSY and STOP accepted; afterwards both work as usual", () => {
    const { harness } = installing();
    expect(acksIn(harness.deliver(harness.order("START")))).toMatchObject([{ status: "REJECTED", code: "BUSY" }]);
    expect(acksIn(harness.deliver(harness.order("STOP")))).toMatchObject([{ status: "DONE" }]);
    harness.pass(INSTALL_MS);
    harness.losePower();
    harness.connect();
    expect(acksIn(harness.deliver(harness.order("START")))).toMatchObject([{ status: "ACCEPTED" }]);
  });

  it("protocol rule 5: a repeated offer is answered again and acts once, even after the restart", () => {
    const { harness, offer } = installing();
    expect(updatesIn(harness.deliverOffer(offer))).toEqual(["INSTALLING 100"]);
    harness.pass(INSTALL_MS);
    harness.losePower();
    harness.connect();
    expect(updatesIn(harness.deliverOffer(offer))).toEqual(["INSTALLED 100"]);
    expect(harness.work).toEqual([`download ${offer.id}`, "restart"]);
  });

  it("protocol rule 5: a refusal is final, although the robot could accept the offer by now", () => {
    const harness = RobotHarness.connected({ battery: 49 });
    const offer = harness.offer();
    expect(updatesIn(harness.deliverOffer(offer))).toEqual(["REJECTED BATTERY_LOW"]);
    harness.pass(3_600_000);
    expect(updatesIn(harness.deliverOffer(offer))).toEqual(["REJECTED BATTERY_LOW"]);
    expect(updatesIn(harness.deliverOffer(harness.offer()))).toEqual(["DOWNLOADING 0"]);
  });

  it("protocol rule 1: a retained offer is ignored, and a malformed one changes nothing", () => {
    const harness = RobotHarness.connected();
    expect(harness.deliverOffer(harness.offer(), true)).toEqual([]);
    expect(harness.deliverOffer(harness.offer({ url: "file:///etc/passwd" }))).toEqual([]);
    expect(harness.deliverOffer(harness.offer({ sha256: "x" }))).toEqual([]);
    expect(harness.robot.update).toBeNull();
  });
});

describe("offers that a robot refuses", () => {
  const moving = (harness: RobotHarness) => harness.deliver(harness.order("START"));

  test.each([
    ["rule 1: another session", { session: 1 }, "OLD_SESSION", () => {}],
    ["rule 1: expired", { expiresAt: new Date(0).toISOString() }, "EXPIRED", () => {}],
    ["rule 12: the clock is not set", {}, "CLOCK_NOT_SET", (harness: RobotHarness) => (harness.clockOffsetMs = null)],
    ["rule 13: while it moves", {}, "BUSY", moving],
    ["rule 13: while it installs", {}, "BUSY", (harness: RobotHarness) => installing(harness)],
    [
      "rule 8: maintenance",
      {},
      "MAINTENANCE",
      (harness: RobotHarness) => harness.deliver(harness.order("MAINTENANCE_ON")),
    ],
    [
      "rule 13: battery",
      {},
      "BATTERY_LOW",
      (harness: RobotHarness) => harness.robot.setByHand({ battery: 49 }, harness.moment),
    ],
  ])("protocol %s", (_title, change, code, prepare) => {
    const harness = RobotHarness.connected();
    prepare(harness);
    const downloads = harness.work.length;
    expect(updatesIn(harness.deliverOffer(harness.offer(change)))).toEqual([`REJECTED ${code}`]);
    expect(harness.work).toHaveLength(downloads);
  });

  it("protocol rule 13: an update in progress continues, and is reported again after a reconnect", () => {
    const { harness } = installing();
    harness.deliverOffer(harness.offer());
    harness.disconnect();
    expect(updatesIn(harness.connect())).toEqual(["INSTALLING 100"]);
  });
});

describe("firmware that is not installed", () => {
  it("protocol rule 13: a failed download changes nothing", () => {
    const harness = RobotHarness.connected();
    const offer = harness.offer();
    harness.deliverOffer(offer);
    expect(updatesIn(harness.downloadEnds(offer.id, "HASH_MISMATCH"))).toEqual(["FAILED HASH_MISMATCH"]);
    expect(updatesIn(harness.downloadEnds(offer.id))).toEqual([]);
    expect(acksIn(harness.deliver(harness.order("START")))).toMatchObject([{ status: "ACCEPTED" }]);
    expect(harness.robot.firmware).toBe("2.4.1");
  });

  test.each([
    ["an installation that fails", "install", ["FAILED INSTALL_FAILED"], "FAILED INSTALL_FAILED"],
    ["a start with the old version", "roll-back", [], "INSTALLED 100"],
  ] as const)("protocol rule 13: %s leaves the old version", (_title, what, told, toldAfterwards) => {
    const harness = RobotHarness.connected();
    harness.setConditions({ firmware: { what, seconds: 1 } });
    installing(harness);
    expect(updatesIn(harness.pass(INSTALL_MS))).toEqual(told);
    harness.losePower();
    expect(updatesIn(harness.connect())).toEqual([toldAfterwards]);
    expect(harness.robot.firmware).toBe("2.4.1");
  });

  it("protocol rule 13: one that hangs does so until its power is cut, and then reports the failure", () => {
    const harness = RobotHarness.connected();
    harness.setConditions({ firmware: { what: "silent", seconds: 1 } });
    installing(harness);
    harness.pass(3_600_000);
    expect(harness.robot.update?.phase).toBe("INSTALLING");
    harness.losePower();
    expect(updatesIn(harness.connect())).toEqual(["FAILED INSTALL_FAILED"]);
    expect(harness.robot.firmware).toBe("2.4.1");
  });

  it("protocol rule 13: a power loss during the download is a failed download", () => {
    const harness = RobotHarness.connected();
    harness.deliverOffer(harness.offer());
    harness.losePower();
    expect(updatesIn(harness.connect())).toEqual(["FAILED DOWNLOAD_FAILED"]);
  });
});
