import { live } from "@suncrew/contract/live/live.ts";
import { contactPointList } from "@suncrew/contract/notifications/contact-points.ts";
import {
  type Delivery,
  deliveryDetails,
  deliveryList,
  resendDelivery,
} from "@suncrew/contract/notifications/deliveries.ts";
import { createMute, endMute, type Mute, muteList } from "@suncrew/contract/notifications/mutes.ts";
import { describe, expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { sendOnStream, when } from "../../../test/answers.ts";
import {
  expectAccessible,
  expectContains,
  expectCount,
  expectNoSidewaysScroll,
  expectToast,
  pressRetry,
} from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { BHADLA } from "../../../test/sample-fleet.ts";
import { liveUpdate } from "../../platform/live/test/live-update.ts";
import { contactPoint } from "./test/sample-notifications.ts";

const main = page.getByRole("main");

const failed: Delivery = {
  id: "3f2b8a52-6f0e-4d57-9a71-2f5a3f7f4c11",
  message_kind: "ALERTS",
  channel: "WHATSAPP",
  contact_point_id: 4,
  contact_point_name: "Phone",
  told: "Asha Rathore",
  address: "+919829041276",
  severity: "CRITICAL",
  title: `2 alerts at ${BHADLA}`,
  text: "The brush is jammed.",
  status: "FAILED",
  reason: "WhatsApp does not know the template.",
  reason_code: null,
  attempts: 3,
  created_at: "2026-06-15T00:01:00.000Z",
  due_at: null,
  settled_at: "2026-06-15T00:05:00.000Z",
};

const muted: Mute = {
  id: 7,
  site_id: 1,
  site_name: BHADLA,
  robot_id: 11,
  robot_name: "Row 1",
  serial_number: "SCR-1011",
  until: "2099-06-16T00:30:00.000Z",
  reason: "New brush arrives",
  timezone: "Asia/Kolkata",
  muted_by: "Asha Rathore",
  muted_at: "2026-06-15T00:01:00.000Z",
};

function tell(deliveries: readonly Delivery[]) {
  const total = deliveries.length;
  return when(deliveryList).answer({ deliveries: [...deliveries], total, total_exact: true, next_cursor: null });
}

describe("sent messages", () => {
  test("a message that was given up says why, and is sent again", async () => {
    await page.viewport(390, 844);
    tell([failed]);
    const sent = when(resendDelivery).answer({ message: "Sent", deliveryId: failed.id });
    await openConsole("/notifications?tab=sent");
    await expectContains(main, "WhatsApp does not know the template.");
    await expectNoSidewaysScroll();
    await expectAccessible();
    await page.getByRole("button", { name: /^Send again to Asha Rathore/ }).click();
    await expectToast("Message Sent Again", "A new message to Asha Rathore is on its way.");
    expect(sent).toHaveLength(1);
  });

  test("filters are sent, and taken back where nothing matches", async () => {
    const read = tell([]);
    when(contactPointList).answer([contactPoint({ id: 4, name: "Phone" })]);
    const days = "from=2026-06-01&to=2026-06-02";
    await openConsole(`/notifications?tab=sent&status=FAILED&channel=EMAIL&contact=4&${days}`);
    await expectContains(main, "No messages match the filters.");
    expect(read.at(-1)?.query).toMatchObject({ status: "FAILED", channel: "EMAIL", contact_point_id: 4 });
    const { from, to } = deliveryList.query.parse(read.at(-1)?.query);
    expect(Date.parse(to ?? "") - Date.parse(from ?? "")).toBe(2 * 86_400_000);
    await expect.element(page.getByRole("combobox", { name: "Contact point" })).toHaveValue("Asha Rathore: Phone");
    await page.getByRole("button", { name: "Show all messages" }).click();
    await expectContains(main, "Nothing has been sent.");
  });

  test("days that end before they begin ask for nothing, and say so", async () => {
    const read = tell([failed]);
    await openConsole("/notifications?tab=sent&from=2026-06-02&to=2026-06-01");
    await expectContains(main, "The last day is before the first.");
    expect(read).toHaveLength(0);
  });

  for (const width of [390, 1440]) {
    test(`two thousand messages are counted, and only those in sight are rendered; older ones are loaded (${width} px)`, async () => {
      await page.viewport(width, 900);
      const many = Array.from({ length: 2_000 }, (_, nth) => ({
        ...failed,
        id: `3f2b8a52-6f0e-4d57-9a71-${String(nth).padStart(12, "0")}`,
        told: "Somebody with a very long name ".repeat(3),
        title: `Message ${nth} `.repeat(8),
      }));
      const cursor = `1.${failed.id}`;
      const read = when(deliveryList).answer({
        deliveries: many,
        total: 12_345,
        total_exact: true,
        next_cursor: cursor,
      });
      await openConsole("/notifications?tab=sent");
      await expectContains(main, "Showing 2,000 of 12,345 messages");
      await expectNoSidewaysScroll();
      await expectAccessible();
      expect(document.querySelectorAll('[role="row"]').length).toBeLessThan(80);
      expect(read).toHaveLength(1);
      const older = when(deliveryList).answer({
        deliveries: [failed],
        total: 12_345,
        total_exact: true,
        next_cursor: null,
      });
      await page.getByRole("button", { name: "Show older" }).click();
      await expectContains(main, "Showing 2,001 of 12,345 messages");
      expect(older[0]?.query).toMatchObject({ cursor });
    });

    test(`a message's details tell each try with its answer and lead to what it was about (${width} px)`, async () => {
      await page.viewport(width, 900);
      tell([failed]);
      when(deliveryDetails).answer({
        ...failed,
        held_until: null,
        reference: null,
        tries: [
          { attempt: 1, at: "2026-06-15T00:01:02.000Z", reason: "WhatsApp did not answer.", reason_code: null },
          { attempt: 3, at: "2026-06-15T00:05:00.000Z", reason: failed.reason, reason_code: null },
        ],
        alerts: [
          {
            id: "7",
            severity: "CRITICAL",
            text: "The brush is jammed.",
            site_id: 1,
            site_name: BHADLA,
            robot_name: "Row 1",
            serial_number: "SCR-1011",
            raised_at: "2026-06-15T00:00:00.000Z",
            cleared_at: null,
          },
        ],
        alerts_total: 3,
      });
      const sent = when(resendDelivery).answer({ message: "Sent", deliveryId: failed.id });
      await openConsole("/notifications?tab=sent");
      await page.getByRole("button", { name: /^Details of 2 alerts/ }).click();
      const dialog = page.getByRole("dialog", { name: failed.title });
      const tries = dialog.getByRole("region", { name: "Tries" });
      await expectContains(tries, "WhatsApp did not answer.");
      await expectContains(tries, "Of one try there is no answer.");
      const about = dialog.getByRole("region", { name: "About" });
      await expect
        .element(about.getByRole("link", { name: `Row 1 (SCR-1011), ${BHADLA}` }))
        .toHaveAttribute("href", "/robots/SCR-1011?at=2026-06-15T00%3A00Z");
      await expectContains(about, "And 2 more.");
      await expectContains(dialog, "WhatsApp, Phone: +919829041276");
      await expectNoSidewaysScroll();
      await expectAccessible();
      await dialog.getByRole("button", { name: "Send again" }).click();
      await expectToast("Message Sent Again", "A new message to Asha Rathore is on its way.");
      await expect.element(dialog).not.toBeInTheDocument();
      expect(sent).toHaveLength(1);
    });
  }

  test("what was sent says in the list and in its details what its service said; of a try that is under way nothing is known", async () => {
    const taken = { ...failed, status: "SENT", reason: null, attempts: 1 } as const;
    const waiting = { ...taken, id: failed.id.replace("3f", "4f"), status: "WAITING", channel: "EMAIL" } as const;
    tell([taken, { ...waiting, told: "Ravi Kumar" }]);
    const details = { held_until: null, alerts: [], alerts_total: 0 };
    when(deliveryDetails).answer({
      ...taken,
      ...details,
      reference: "wamid.HBg",
      tries: [{ attempt: 1, at: "2026-06-15T00:05:00.000Z", reason: null, reason_code: null }],
    });
    await openConsole("/notifications?tab=sent");
    const row = page.getByRole("row").filter({ hasText: "Asha Rathore" });
    await expectContains(row, "Sent");
    await expectContains(row, "Accepted by WhatsApp.");
    const dialog = page.getByRole("dialog", { name: failed.title });
    const tries = dialog.getByRole("region", { name: "Tries" });
    await row.getByRole("button", { name: /^Details/ }).click();
    await expectContains(tries, "Accepted by WhatsApp. Known there as wamid.HBg.");
    await dialog.getByRole("button", { name: "Close" }).last().click();
    when(deliveryDetails).answer({ ...waiting, ...details, reference: null, tries: [] });
    await page
      .getByRole("row")
      .filter({ hasText: "Ravi Kumar" })
      .getByRole("button", { name: /^Details/ })
      .click();
    await expectContains(tries, "One try is under way, or had no answer.");
  });

  test("details that fail to load leave the message readable and can be retried", async () => {
    tell([{ ...failed, status: "SENT", reason: null }]);
    when(deliveryDetails).fail(500, { message: "Something went wrong." });
    await openConsole("/notifications?tab=sent");
    await page.getByRole("button", { name: /^Details of/ }).click();
    const dialog = page.getByRole("dialog", { name: failed.title });
    await expectContains(dialog, "The tries and the alerts of this message could not be loaded.");
    await expectContains(dialog, "The brush is jammed.");
    await expect.element(dialog.getByRole("button", { name: "Send again" })).not.toBeInTheDocument();
    await userEvent.keyboard("{Escape}");
    await expect.element(dialog).not.toBeInTheDocument();
  });

  test("a list that fails to load offers Retry", async () => {
    when(deliveryList).fail(500, { message: "Something went wrong." });
    await openConsole("/notifications?tab=sent");
    await pressRetry(() => tell([failed]), page.getByRole("table", { name: "Sent messages" }));
    await expectContains(main, failed.title);
  });
});

describe("muted", () => {
  test("says what, until when, why and by whom, and ends it", async () => {
    await page.viewport(390, 844);
    when(muteList).answer([muted]);
    const ended = when(endMute).answer({ message: "Ended" });
    await openConsole("/notifications?tab=muted");
    await expectContains(main, "New brush arrives");
    await expectContains(main, "Muted by Asha Rathore");
    await expectNoSidewaysScroll();
    await expectAccessible();
    await page.getByRole("button", { name: "End mute of SCR-1011" }).click();
    await expectToast("Mute Ended", "Alerts of SCR-1011 are told again.");
    expect(ended.map(({ params }) => params.muteId)).toEqual([7]);
  });

  const change = page.getByRole("button", { name: "Change the mute of SCR-1011" });
  const dialog = page.getByRole("dialog", { name: "Mute: SCR-1011" });
  const reason = dialog.getByLabelText("Reason");

  for (const width of [390, 1440]) {
    test(`the time and reason of one are changed, and the focus returns to it (${width} px)`, async () => {
      await page.viewport(width, 900);
      let mutes = [muted];
      when(muteList).answer(() => mutes);
      const sent = when(createMute).answer(({ body }) => {
        mutes = [{ ...muted, id: 8, until: body.until, reason: body.reason }];
        return { message: "Muted.", muteId: 8 };
      });
      await openConsole("/notifications?tab=muted");
      await change.click();
      await expect.element(reason).toHaveValue("New brush arrives");
      await dialog.getByText("1 day").click();
      await reason.fill("The brush is late");
      await expectNoSidewaysScroll();
      await expectAccessible(dialog);
      await dialog.getByRole("button", { name: "Change Mute" }).click();
      await expectContains(main, "The brush is late");
      expect(sent.map(({ body }) => body)).toEqual([
        expect.objectContaining({ site_id: 1, robot_id: 11, reason: "The brush is late" }),
      ]);
      await expect.element(change).toHaveFocus();
    });
  }

  test("what is typed to change one outlives it, and what the server refuses is said", async () => {
    let mutes = [muted];
    when(muteList).answer(() => mutes);
    await openConsole("/notifications?tab=muted");
    await change.click();
    await dialog.getByText("1 day").click();
    await reason.fill("The brush is late");
    // Somebody ends it meanwhile.
    mutes = [];
    sendOnStream(live, liveUpdate({ at: new Date().toISOString(), mutes_changed: [1] }));
    await expectContains(main, "Nothing is muted.");
    when(createMute).fail(503, { message: "Please try again." });
    await dialog.getByRole("button", { name: "Change Mute" }).click();
    await expectToast("Not Muted", "SCR-1011 was not muted. Please try again.", "Please try again.");
    await expect.element(reason).toHaveValue("The brush is late");
  });

  test("many are searched by site, robot, reason or person", async () => {
    const serials = Array.from({ length: 200 }, (_, index) => `SCR-${2_000 + index}`);
    const mutes = serials.map((serial_number, index) => ({
      ...muted,
      id: index + 1,
      robot_id: index + 1,
      serial_number,
    }));
    const ofSite = { ...muted, id: 900, robot_id: null, robot_name: null, serial_number: null, reason: "Grid works" };
    when(muteList).answer([...mutes, ofSite]);
    await openConsole("/notifications?tab=muted");
    const rows = page.getByRole("list", { name: "Muted" }).getByRole("listitem");
    await expectCount(rows, 201);
    const search = page.getByLabelText("Search what is muted");
    await search.fill("scr-2150 brush");
    await expectCount(rows, 1);
    await expect.element(page.getByRole("link", { name: "SCR-2150" })).toHaveAttribute("href", "/robots/SCR-2150");
    await search.fill("grid asha");
    await expectCount(rows, 1);
    await expect.element(rows.getByRole("link", { name: BHADLA })).toHaveAttribute("href", "/dashboard?site=1");
    await search.fill("nobody");
    await expectContains(main, "Nothing that is muted matches.");
  });

  test("nothing muted, and a list that fails to load", async () => {
    when(muteList).fail(500, { message: "Something went wrong." });
    await openConsole("/notifications?tab=muted");
    await pressRetry(() => when(muteList).answer([]), page.getByText("Nothing is muted."));
    await expectContains(main, "Alerts of every robot and site are told as the rules say.");
  });
});
