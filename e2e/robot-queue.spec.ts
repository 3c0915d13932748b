import type { Page, Request } from "@playwright/test";
import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import {
  BHADLA,
  chooseSite,
  endSettleTime,
  expectStatus,
  expectStopToast,
  expectToast,
  expectTruth,
  REWA,
  robotCard,
  startRobot,
  startsOf,
} from "./support/dashboard.ts";
import { holdStarts, waitForAnswers } from "./support/patience.ts";
import { signInWith } from "./support/sign-in.ts";
import { accounts, expect, test } from "./support/suncrew.ts";
import { startTlsProxy } from "./support/tls-proxy.ts";
import { recordToasts } from "./support/toast-record.ts";

interface SentCommand {
  readonly robotId: string;
  readonly command: string;
  readonly request: Request;
  isAnswered: boolean;
  /** Answered or, on a busy machine, given up by the console. */
  isOver: boolean;
}

/** The commands that the page sends from now on. */
function commandsOf(page: Page): SentCommand[] {
  const sent: SentCommand[] = [];
  page.on("request", (request) => {
    if (!request.url().endsWith(sendCommand.path)) return;
    const { robotId, command } = sendCommand.body.parse(request.postDataJSON());
    sent.push({ robotId, command, request, isAnswered: false, isOver: false });
  });
  const end = (request: Request, isAnswered: boolean) => {
    for (const one of sent) if (one.request === request) Object.assign(one, { isAnswered, isOver: true });
  };
  page.on("requestfinished", (request) => end(request, true));
  page.on("requestfailed", (request) => end(request, false));
  return sent;
}

test("protocol rule 3, §4 Commands: a Start that is delayed until a later Stop has worked moves nothing; Stop is sent at once while Starts wait for silent robots, and no Start is sent late", async ({
  page,
  problems,
  signIn,
  simulator,
  suncrew,
  held,
}) => {
  // The browser logs every refused request itself.
  problems.allow(/status of (409|502|504)/);
  await signIn(page, "admin");
  await chooseSite(page, BHADLA);
  const moving = robotCard(page, "SCR-1001");

  await test.step("a Start that the network delays until a later Stop of the same browser has worked moves nothing", async () => {
    const startsBefore = await startsOf(simulator, moving.serial);
    const letGo = await holdStarts(page);
    await moving.start.click();
    await moving.stop.click();
    await expectStopToast(page, moving.serial);
    const answered = page.waitForResponse((response) => response.status() === 409);
    letGo();
    expect(await (await answered).json()).toMatchObject({ message: "Stop was pressed in the meantime." });
    expect(await startsOf(simulator, moving.serial)).toBe(startsBefore);
    await expectStatus(moving, "Idle");
    await page.unroute(`**${sendCommand.path}`);
  });

  await test.step("Stop is sent at once while Starts wait for silent robots, and no Start is sent late", async () => {
    const tooMany = robotCard(page, "SCR-1003");
    const deaf = ["SCR-1010", "SCR-1011", "SCR-1002"];
    const startsBefore = await startsOf(simulator, tooMany.serial);
    await startRobot(moving, simulator);
    await held.settleTime("START");
    for (const serial of deaf) await simulator.fault(serial, { kind: "deaf" });
    const sent = commandsOf(page);

    await startAtTwoSites(page);
    await moving.stop.click();

    await expect.poll(() => sent.find(({ command }) => command === "STOP")?.robotId).toBe(moving.serial);
    await expect.poll(() => simulator.robot(moving.serial), { intervals: [50] }).toMatchObject({ motion: "STOPPED" });
    // The robot is stopped, while the deaf ones are still awaited.
    const starts = sent.filter(({ command }) => command === "START");
    expect(starts.map(({ robotId, isOver }) => ({ robotId, isOver }))).toEqual(
      deaf.map((robotId) => ({ robotId, isOver: false })),
    );
    // It appears a second after the press, and closes by itself.
    await expectToast(
      page,
      "Control Failed",
      `Failed to send START command to Robot ${tooMany.serial}`,
      "Other commands are still waiting for their robots. Try again in a moment.",
    );
    const stop = sent.find(({ command }) => command === "STOP");
    await expect.poll(() => stop?.isAnswered).toBe(true);
    expect(starts.map(({ isOver }) => isOver)).toEqual(deaf.map(() => false));
    await endSettleTime(suncrew, ...deaf);
    await expectStatus(tooMany, "Idle");
    await expect.poll(() => starts.every(({ isOver }) => isOver)).toBe(true);
    expect(await startsOf(simulator, tooMany.serial)).toBe(startsBefore);
    expect(sent.filter(({ command }) => command === "START")).toHaveLength(deaf.length);

    for (const serial of deaf) {
      await simulator.clear(serial);
      await expectTruth(simulator, serial, { motion: "STOPPED" });
    }
    await robotCard(page, "SCR-1002").refresh.click();
    await expectStatus(robotCard(page, "SCR-1002"), "Idle");
  });
});

test("protocol rule 3, §4 Commands: behind an HTTP/2 proxy no Start waits for others, and a Stop is sent while they are in progress", async ({
  browser,
  problems,
  simulator,
  suncrew,
  held,
}) => {
  problems.allow(/status of (409|502|504)/);
  await using proxy = await startTlsProxy(suncrew.baseUrl);
  // Only the test itself trusts the proxy's certificate.
  const context = await browser.newContext({ baseURL: proxy.url, ignoreHTTPSErrors: true });
  const page = await context.newPage();
  await problems.watch(page);
  await recordToasts(context);
  await waitForAnswers(context);
  await signInWith(page, accounts.admin);
  await chooseSite(page, BHADLA);
  const moving = robotCard(page, "SCR-1001");
  // One more than six connections could carry beside the stream and other calls.
  const deaf = ["SCR-1010", "SCR-1011", "SCR-1002", "SCR-1003"];
  await startRobot(moving, simulator);
  await held.settleTime("START");
  for (const serial of deaf) await simulator.fault(serial, { kind: "deaf" });
  const sent = commandsOf(page);

  await startAtTwoSites(page);
  await moving.stop.click();
  await expectStopToast(page, moving.serial);

  await expect.poll(() => simulator.robot(moving.serial), { intervals: [50] }).toMatchObject({ motion: "STOPPED" });
  const starts = sent.filter(({ command }) => command === "START");
  expect(starts.map(({ robotId, isOver }) => ({ robotId, isOver }))).toEqual(
    deaf.map((robotId) => ({ robotId, isOver: false })),
  );
  await expectStatus(moving, "Idle");
  await endSettleTime(suncrew, ...deaf);
  await expect.poll(() => starts.every(({ isOver }) => isOver)).toBe(true);
  for (const serial of deaf) {
    await simulator.clear(serial);
    await expectTruth(simulator, serial, { motion: "STOPPED" });
  }
  for (const serial of ["SCR-1002", "SCR-1003"]) {
    await robotCard(page, serial).refresh.click();
    await expectStatus(robotCard(page, serial), "Idle");
  }
  await context.close();
});

/** Presses Start of four robots: SCR-1010, SCR-1011, SCR-1002 and, last, SCR-1003. Bhadla is selected afterwards. */
async function startAtTwoSites(page: Page): Promise<void> {
  await chooseSite(page, REWA);
  await robotCard(page, "SCR-1010").start.click();
  await robotCard(page, "SCR-1011").start.click();
  await chooseSite(page, BHADLA);
  await robotCard(page, "SCR-1002").start.click();
  await robotCard(page, "SCR-1003").start.click();
}
