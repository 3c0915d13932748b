import { acknowledgeAlert, type Alert, alertList } from "@suncrew/contract/alerts/alerts.ts";
import { live } from "@suncrew/contract/live/live.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import {
  expectAccessible,
  expectContains,
  expectCount,
  expectNoSidewaysScroll,
  pressRetry,
} from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { BHADLA } from "../../../test/sample-fleet.ts";
import { liveUpdate } from "../../platform/live/test/live-update.ts";
import { chooseTheme } from "../../ui/theme/theme-choice.ts";

const SERVERS = "Suncrew's servers";
const WORDS = "Server suncrew-1 starts no robot, and is neither bridge nor scheduler, until its clocks agree.";

const list = page.getByRole("dialog", { name: "Alerts", exact: true });

const ofServers: Alert = {
  id: "2",
  severity: "CRITICAL",
  source: "SERVER",
  code: "SERVER_CLOCK",
  text: `${WORDS} The database's clock is about 10 minutes ahead of the machine's and the time that the server counted.`,
  raised_at: new Date(Date.now() - 60_000).toISOString(),
  cleared_at: null,
  times: 1,
  site_id: null,
  site_name: null,
  robot_id: null,
  robot_name: null,
  serial_number: null,
  acknowledged_at: null,
  acknowledged_by: null,
  sample: false,
};
const ofSite: Alert = { ...ofServers, id: "1", code: "SITE_DARK", text: "All is dark.", site_id: 1, site_name: BHADLA };

/** Makes these the alerts from now on; returns how often they were requested. */
function tell(...alerts: Alert[]): { readonly asked: number } {
  const calls = { asked: 0 };
  when(alertList).answer(() => {
    calls.asked += 1;
    const open = { CRITICAL: alerts.length, WARNING: 0, INFO: 0 };
    return { alerts, total: alerts.length, total_exact: true, open, next_cursor: null };
  });
  return calls;
}

test("protocol rule 12: an alert about Suncrew's servers names them, links nowhere, and fits at every width and theme", async () => {
  tell(ofServers, ofSite);
  await openConsole("/dashboard");
  for (const theme of ["light", "dark"] as const) {
    chooseTheme(theme);
    for (const [width, height] of [
      [1440, 900],
      [390, 844],
    ] as const) {
      await page.viewport(width, height);
      await page.getByRole("button", { name: "All alerts" }).click();
      const [row, other] = [list.getByRole("listitem").first(), list.getByRole("listitem").last()];
      await expectContains(row, `${SERVERS}${WORDS}`);
      const [words] = row.getByText(WORDS).elements();
      expect(words?.scrollHeight, "none of its words is cut off").toBe(words?.clientHeight);
      // Its buttons acknowledge it and tell who was told; a site would link to its robots.
      expect(row.getByRole("button").elements()).toHaveLength(2);
      await expect.element(other.getByRole("button", { name: "Whole site" })).toBeVisible();
      await expect.element(other.getByRole("button", { name: BHADLA, exact: true })).toBeVisible();
      await expectNoSidewaysScroll();
      await expectAccessible();
      await list.getByRole("button", { name: "Close" }).click();
      await expectCount(list, 0);
    }
  }
});

test("protocol rule 12: it is acknowledged like any other alert, by its name", async () => {
  tell(ofServers);
  const asked = when(acknowledgeAlert).answer(() => {
    const seen = { acknowledged_at: new Date().toISOString(), acknowledged_by: "Anita Rao" };
    tell({ ...ofServers, ...seen, comment: "The clock is being set." });
    return { message: "The alert was acknowledged." };
  });
  await openConsole("/dashboard?dialog=alerts");
  await list.getByRole("button", { name: `Acknowledge: ${SERVERS}, ${WORDS}` }).click();
  await expect.element(list.getByText("Acknowledged by Anita Rao: The clock is being set.")).toBeVisible();
  expect(asked.map(({ params }) => params.alertId)).toEqual(["2"]);
});

test("protocol rule 12: it appears as soon as the live stream reports it", async () => {
  when(live).fail(503, { message: "Not now." });
  tell();
  await openConsole("/dashboard?dialog=alerts");
  await expect.element(list.getByText("No alerts.")).toBeVisible();
  tell(ofServers);
  when(live).stream(() => liveUpdate({ at: new Date().toISOString(), server_alerts_changed: ["2"] }));
  await expect.element(list.getByText(SERVERS)).toBeVisible();
});

test("Alerts: alerts that cannot be loaded can be retried", async () => {
  when(alertList).fail(503, { message: "Not now." });
  await openConsole("/dashboard?dialog=alerts");
  await expect.element(list.getByText("The alerts could not be loaded.")).toBeVisible();
  await pressRetry(() => tell(ofSite), list.getByRole("listitem").filter({ hasText: "All is dark." }), list);
});
