import { describe, expect, it, test } from "vitest";
import { acksIn, INSTALL_MS, RobotBench, statesIn, updatesIn } from "../../test/robot-bench.ts";

/** A robot that has downloaded the file of an offer and installs it. */
function installing(bench = RobotBench.connected()) {
  const offer = bench.offer();
  bench.deliverOffer(offer);
  const said = bench.downloadEnds(offer.id);
  return { bench, offer, said };
}

describe("a robot that is offered firmware", () => {
  it("protocol rule 13: downloads, installs, starts anew and reports the version that runs", () => {
    const bench = RobotBench.connected();
    const offer = bench.offer();
    expect(updatesIn(bench.deliverOffer(offer))).toEqual(["DOWNLOADING 0"]);
    expect(bench.work).toEqual([`download ${offer.id}`]);
    const told = [4, 10, 12, 55, 100].flatMap((percent) => updatesIn(bench.downloadComes(offer.id, percent)));
    expect(told).toEqual(["DOWNLOADING 10", "DOWNLOADING 55", "DOWNLOADING 100"]);
    expect(updatesIn(bench.downloadEnds(offer.id))).toEqual(["INSTALLING 100"]);
    expect(updatesIn(bench.pass(INSTALL_MS - 1))).toEqual([]);
    bench.pass(1);
    expect(bench.work.at(-1)).toBe("restart");
    expect(bench.robot.takeUnsaved()).toBe("before-publishing");
    bench.disconnect();
    bench.losePower();
    const again = bench.connect();
    expect(statesIn(again)).toMatchObject([{ firmware: "3.0.0" }]);
    expect(updatesIn(again)).toEqual(["INSTALLED 100"]);
  });

  it("protocol rule 13: a START meanwhile is BUSY, a STOP is taken, and both are as ever afterwards", () => {
    const { bench } = installing();
    expect(acksIn(bench.deliver(bench.order("START")))).toMatchObject([{ status: "REJECTED", code: "BUSY" }]);
    expect(acksIn(bench.deliver(bench.order("STOP")))).toMatchObject([{ status: "DONE" }]);
    bench.pass(INSTALL_MS);
    bench.losePower();
    bench.connect();
    expect(acksIn(bench.deliver(bench.order("START")))).toMatchObject([{ status: "ACCEPTED" }]);
  });

  it("protocol rule 5: an offer that is repeated is answered again and acts once, also after the restart", () => {
    const { bench, offer } = installing();
    expect(updatesIn(bench.deliverOffer(offer))).toEqual(["INSTALLING 100"]);
    bench.pass(INSTALL_MS);
    bench.losePower();
    bench.connect();
    expect(updatesIn(bench.deliverOffer(offer))).toEqual(["INSTALLED 100"]);
    expect(bench.work).toEqual([`download ${offer.id}`, "restart"]);
  });

  it("protocol rule 5: a refusal stays one, although the robot could take the offer by now", () => {
    const bench = RobotBench.connected({ battery: 49 });
    const offer = bench.offer();
    expect(updatesIn(bench.deliverOffer(offer))).toEqual(["REJECTED BATTERY_LOW"]);
    bench.pass(3_600_000);
    expect(updatesIn(bench.deliverOffer(offer))).toEqual(["REJECTED BATTERY_LOW"]);
    expect(updatesIn(bench.deliverOffer(bench.offer()))).toEqual(["DOWNLOADING 0"]);
  });

  it("protocol rule 1: a retained offer is ignored, and a malformed one changes nothing", () => {
    const bench = RobotBench.connected();
    expect(bench.deliverOffer(bench.offer(), true)).toEqual([]);
    expect(bench.deliverOffer(bench.offer({ url: "file:///etc/passwd" }))).toEqual([]);
    expect(bench.deliverOffer(bench.offer({ sha256: "x" }))).toEqual([]);
    expect(bench.robot.update).toBeNull();
  });
});

describe("offers that a robot refuses", () => {
  const moving = (bench: RobotBench) => bench.deliver(bench.order("START"));

  test.each([
    ["rule 1: another session", { session: 1 }, "OLD_SESSION", () => {}],
    ["rule 1: expired", { expiresAt: new Date(0).toISOString() }, "EXPIRED", () => {}],
    ["rule 12: the clock is not set", {}, "CLOCK_NOT_SET", (bench: RobotBench) => (bench.clockOffsetMs = null)],
    ["rule 13: while it moves", {}, "BUSY", moving],
    ["rule 13: while it installs", {}, "BUSY", (bench: RobotBench) => installing(bench)],
    ["rule 8: maintenance", {}, "MAINTENANCE", (bench: RobotBench) => bench.deliver(bench.order("MAINTENANCE_ON"))],
    [
      "rule 13: battery",
      {},
      "BATTERY_LOW",
      (bench: RobotBench) => bench.robot.setByHand({ battery: 49 }, bench.moment),
    ],
  ])("protocol %s", (_title, change, code, prepare) => {
    const bench = RobotBench.connected();
    prepare(bench);
    const downloads = bench.work.length;
    expect(updatesIn(bench.deliverOffer(bench.offer(change)))).toEqual([`REJECTED ${code}`]);
    expect(bench.work).toHaveLength(downloads);
  });

  it("protocol rule 13: what is under way goes on, and is told again after a reconnect", () => {
    const { bench } = installing();
    bench.deliverOffer(bench.offer());
    bench.disconnect();
    expect(updatesIn(bench.connect())).toEqual(["INSTALLING 100"]);
  });
});

describe("firmware that does not come to run", () => {
  it("protocol rule 13: a download that failed leaves everything as it was", () => {
    const bench = RobotBench.connected();
    const offer = bench.offer();
    bench.deliverOffer(offer);
    expect(updatesIn(bench.downloadEnds(offer.id, "HASH_MISMATCH"))).toEqual(["FAILED HASH_MISMATCH"]);
    expect(updatesIn(bench.downloadEnds(offer.id))).toEqual([]);
    expect(acksIn(bench.deliver(bench.order("START")))).toMatchObject([{ status: "ACCEPTED" }]);
    expect(bench.robot.firmware).toBe("2.4.1");
  });

  test.each([
    ["an installation that fails", "install", ["FAILED INSTALL_FAILED"], "FAILED INSTALL_FAILED"],
    ["a start with the old version", "roll-back", [], "INSTALLED 100"],
  ] as const)("protocol rule 13: %s leaves the old version", (_title, what, told, toldAfterwards) => {
    const bench = RobotBench.connected();
    bench.become({ firmware: { what, seconds: 1 } });
    installing(bench);
    expect(updatesIn(bench.pass(INSTALL_MS))).toEqual(told);
    bench.losePower();
    expect(updatesIn(bench.connect())).toEqual([toldAfterwards]);
    expect(bench.robot.firmware).toBe("2.4.1");
  });

  it("protocol rule 13: one that hangs does so until its power is cut, and then says that it failed", () => {
    const bench = RobotBench.connected();
    bench.become({ firmware: { what: "silent", seconds: 1 } });
    installing(bench);
    bench.pass(3_600_000);
    expect(bench.robot.update?.phase).toBe("INSTALLING");
    bench.losePower();
    expect(updatesIn(bench.connect())).toEqual(["FAILED INSTALL_FAILED"]);
    expect(bench.robot.firmware).toBe("2.4.1");
  });

  it("protocol rule 13: a power loss during the download is a download that failed", () => {
    const bench = RobotBench.connected();
    bench.deliverOffer(bench.offer());
    bench.losePower();
    expect(updatesIn(bench.connect())).toEqual(["FAILED DOWNLOAD_FAILED"]);
  });
});
