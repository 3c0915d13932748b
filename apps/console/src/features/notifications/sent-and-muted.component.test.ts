import { type Delivery, deliveryList, resendDelivery } from "@suncrew/contract/notifications/deliveries.ts";
import { endMute, type Mute, muteList } from "@suncrew/contract/notifications/mutes.ts";
import { describe, expect, test } from "vitest";
import { page } from "vitest/browser";
import { when } from "../../../test/answers.ts";
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
  test("a message that was given up says why, how often it was tried, and is sent again", async () => {
    await page.viewport(390, 844);
    tell([failed]);
    const sent = when(resendDelivery).answer({ message: "Sent", deliveryId: failed.id });
    await openConsole("/notifications?tab=sent");
    await expectContains(main, "WhatsApp does not know the template.");
    await expectContains(main, "tried 3 times");
    await expectNoSidewaysScroll();
    await expectAccessible();
    await page.getByRole("button", { name: /^Send again to Asha Rathore/ }).click();
    await expectToast("Message Sent Again", "A new message to Asha Rathore is on its way.");
    expect(sent).toHaveLength(1);
  });

  test("filters are sent, and taken back where nothing matches", async () => {
    const read = tell([]);
    await openConsole("/notifications?tab=sent&status=FAILED&channel=EMAIL");
    await expectContains(main, "No messages match the filters.");
    expect(read.at(-1)?.query).toMatchObject({ status: "FAILED", channel: "EMAIL" });
    await page.getByRole("button", { name: "Show all messages" }).click();
    await expectContains(main, "Nothing has been sent.");
  });

  test("a list that fails to load offers Retry", async () => {
    when(deliveryList).fail(500, { message: "Something went wrong." });
    await openConsole("/notifications?tab=sent");
    await pressRetry(() => tell([failed]), page.getByRole("list", { name: "Sent messages" }));
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
    await page.getByRole("button", { name: "End the mute of SCR-1011" }).click();
    await expectToast("Mute Ended", "Alerts of SCR-1011 are told again.");
    expect(ended.map(({ params }) => params.muteId)).toEqual([7]);
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
