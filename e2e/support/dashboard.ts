import type { Locator, Page } from "@playwright/test";
import type { RobotTruth } from "@suncrew/simulator/fleet/truth.ts";
import type { RunningServer } from "./server-process.ts";
import type { SimulatorControl } from "./simulator.ts";
import { expect } from "./suncrew.ts";
import { lastInputMs, toastsSince } from "./toast-record.ts";

/** Sites of the demo, in the console's order. */
export const BHADLA = "Bhadla Solar Park";
export const CHARANKA = "Charanka Solar Park";
export const KAMUTHI = "Kamuthi Solar Power Project";
export const KURNOOL = "Kurnool Ultra Mega Solar Park";
export const PAVAGADA = "Pavagada Solar Park";
export const REWA = "Rewa Ultra Mega Solar";

/** The parts of one robot's card that a person uses. */
export interface RobotCard {
  readonly serial: string;
  readonly root: Locator;
  readonly start: Locator;
  readonly stop: Locator;
  readonly forward: Locator;
  readonly reverse: Locator;
  readonly direction: Locator;
  readonly refresh: Locator;
  readonly settings: Locator;
}

export function robotCard(page: Page, serial: string): RobotCard {
  const root = page.getByRole("article", { name: serial });
  const button = (name: string) => root.getByRole("button", { name, exact: true });
  return {
    serial,
    root,
    start: button("Start"),
    stop: button("Stop"),
    direction: root.getByRole("radiogroup", { name: "Direction" }),
    forward: root.getByRole("radio", { name: "FWD" }),
    reverse: root.getByRole("radio", { name: "REV" }),
    refresh: button("Refresh status"),
    settings: button("Settings"),
  };
}

/** The site buttons or the site list, whichever is shown. */
export function siteList(page: Page): Locator {
  return page.getByRole("group", { name: /^(All Sites|Site buttons)$/ });
}

export function siteButton(page: Page, name: string): Locator {
  return siteList(page).getByRole("button", { name });
}

export async function chooseSite(page: Page, name: string): Promise<void> {
  await siteButton(page, name).click();
  await expect(page.getByRole("heading", { level: 2, name })).toBeVisible();
}

/** The header of the detail panel: name and status, address, partner, robots online. */
export function siteFacts(page: Page): Locator {
  return page.getByRole("region", { name: "Site details" }).locator("header");
}

/** The badge with this text, such as Idle or Normal. */
export async function expectStatus(card: RobotCard, word: string): Promise<void> {
  await expect(card.root.getByText(word, { exact: true })).toBeVisible();
}

/** A disabled button or toggle that explains why, also to screen readers. */
export async function expectDisabled(control: Locator, reason: string): Promise<void> {
  await expect(control).toHaveAttribute("aria-disabled", "true");
  await expect(control).toHaveAccessibleDescription(reason);
}

export async function expectEnabled(control: Locator): Promise<void> {
  await expect(control).toBeVisible();
  await expect(control).not.toHaveAttribute("aria-disabled", "true");
}

export function toasts(page: Page): Locator {
  return page.getByRole("region", { name: "Messages" }).locator("> div");
}

/** Waits until no toast covers anything any more; one under the pointer would stay. */
export async function expectToastsGone(page: Page): Promise<void> {
  await page.mouse.move(0, 0);
  await expect(toasts(page)).toHaveCount(0);
}

const pollToasts = (page: Page, sinceMs: number) =>
  expect.poll(() => toastsSince(page, sinceMs), { message: "toasts since the last press" });

/** A toast with this title and exactly these lines, since the last press before this call. */
export async function expectToast(page: Page, title: string, ...lines: readonly (string | RegExp)[]): Promise<void> {
  const pattern = lines.map((line) => (line instanceof RegExp ? line.source : escaped(line))).join("");
  const pressedMs = await lastInputMs(page);
  await pollToasts(page, pressedMs).toContainEqual([title, expect.stringMatching(new RegExp(`^${pattern}$`))]);
}

/** The same, and no other one. */
export async function expectOnlyToast(page: Page, title: string, line: string): Promise<void> {
  const pressedMs = await lastInputMs(page);
  await pollToasts(page, pressedMs).toEqual([[title, line]]);
}

/** The toast of a Stop; where the database was slow, it adds that the Stop will be recorded. */
export async function expectStopToast(page: Page, serial: string): Promise<void> {
  await expectToast(
    page,
    "Robot Control",
    new RegExp(`STOP command sent to Robot ${serial}(Sent to the robot; will be recorded\\.)?`),
  );
}

function escaped(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}

/** Waits for the simulated robot's true state, whatever the console shows. */
export async function expectTruth(
  simulator: SimulatorControl,
  serial: string,
  truth: Partial<RobotTruth>,
): Promise<RobotTruth> {
  await expect.poll(() => simulator.robot(serial)).toMatchObject(truth);
  return simulator.robot(serial);
}

/** How often the robot has started moving. */
export async function startsOf(simulator: SimulatorControl, serial: string): Promise<number> {
  return (await simulator.robot(serial)).startsTaken.length;
}

/** Ends the 8 s that these robots have to confirm a command (protocol rule 6), once one was sent to each. */
export async function endSettleTime(suncrew: RunningServer, ...serials: readonly string[]): Promise<void> {
  for (const serial of serials) {
    // A STOP is sent by whichever server comes first: only the others are claimed.
    const ended = () =>
      suncrew.sql(
        `update commands set settle_by = now() from robots
        where robots.id = commands.robot_id and robots.serial_number = '${serial}'
          and (verb = 'STOP' or claimed_by is not null) and settled_at is null and settle_by > now()`,
      );
    await expect.poll(ended, { message: `commands sent to ${serial}` }).toBeGreaterThan(0);
  }
}

/** Starts the robot from its card and waits until it moves. */
export async function startRobot(card: RobotCard, simulator: SimulatorControl): Promise<void> {
  await card.start.click();
  await expectTruth(simulator, card.serial, { motion: "MOVING" });
  await expectStatus(card, "Normal");
}

/** Stops the robot from its card and waits until it has stopped. */
export async function stopRobot(card: RobotCard, simulator: SimulatorControl): Promise<void> {
  await card.stop.click();
  await expectTruth(simulator, card.serial, { motion: "STOPPED" });
  await expectStatus(card, "Idle");
}

/** Answers the confirmation of a form with unsaved changes. */
export async function discardChanges(page: Page): Promise<void> {
  await page.getByRole("dialog", { name: "Discard Changes" }).getByRole("button", { name: "Discard" }).click();
}
