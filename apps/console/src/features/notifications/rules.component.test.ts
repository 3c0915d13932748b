import { contactPointList, notificationOptions } from "@suncrew/contract/notifications/contact-points.ts";
import {
  createNotificationRule,
  createRota,
  createTeam,
  deleteTeam,
  type NotificationRule,
  notificationRules,
  rotaList,
  teamList,
  updateNotificationRule,
} from "@suncrew/contract/notifications/notification-rules.ts";
import { beforeEach, expect, test } from "vitest";
import { type Locator, page, userEvent } from "vitest/browser";
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
import { chooseTheme } from "../../ui/theme/theme-choice.ts";
import {
  contactPoint,
  contactPointsOfEachKind,
  ruleWith,
  sampleOnCall,
  sampleOptions,
  sampleTeam,
} from "./test/sample-notifications.ts";

beforeEach(() => {
  when(contactPointList).answer(contactPointsOfEachKind());
  when(teamList).answer([sampleTeam]);
  when(rotaList).answer([sampleOnCall]);
  when(notificationOptions).answer(sampleOptions);
});

const dialog = page.getByRole("dialog");

async function choose(field: Locator, name: string): Promise<void> {
  await field.click();
  await page.getByRole("option", { name, exact: true }).click();
  // The list of a field for several stays open.
  if (page.getByRole("listbox").elements().length > 0) await userEvent.keyboard("{Tab}");
}

test("rules that cannot be loaded say so, Retry loads them, and without any the page says what a rule is for", async () => {
  when(notificationRules).fail(500, { message: "Broken" });
  await openConsole("/notifications?tab=rules");
  await expect.element(page.getByText("The rules could not be loaded.")).toBeVisible();
  await pressRetry(() => when(notificationRules).answer([]), page.getByText("No rules yet."));
});

for (const theme of ["light", "dark"] as const) {
  test(`a rule reads like a sentence, and a step that reaches nobody is warned of (${theme})`, async () => {
    when(notificationRules).answer([
      ruleWith({}),
      ruleWith({ id: 2, name: "Long ".padEnd(80, "x"), enabled: false, wait_seconds: 0, repeat_minutes: null }),
    ]);
    await openConsole("/notifications?tab=rules");
    chooseTheme(theme);
    const rule = page
      .getByRole("list", { name: "Rules" })
      .getByRole("listitem")
      .filter({ hasText: "Critical at night" });
    await expectContains(
      rule.first(),
      "Critical and Warning: lost while moving and site dark at Bhadla Solar Park, in Gujarat",
    );
    await expectContains(rule.first(), "After 60 s: Asha Rathore and team Night watch");
    await expectContains(rule.first(), "After 10 min: rota On call");
    await expectContains(rule.first(), "After 30 min: Meera IyerReaches nobody: none of them has a contact point.");
    await expectContains(rule.first(), "Repeats every 30 min until somebody acknowledges · with all-clear");
    for (const width of [390, 1440]) {
      await page.viewport(width, 900);
      await expectNoSidewaysScroll();
      await expectAccessible();
    }
  });
}

test("a rule that tells twenty, at its longest, fits a phone in the list and in its dialog; many rules are searched", async () => {
  const name = "Control room of the western and the north-western fields beyond the ".padEnd(80, "x");
  const to = Array.from({ length: 20 }, (_, nth) => ({ kind: "CONTACT_POINT" as const, id: 100 + nth }));
  const many = { steps: [{ after_minutes: 0, to }], target_names: [to.map(() => name)] };
  when(contactPointList).answer(to.map(({ id }) => contactPoint({ id, name })));
  when(notificationRules).answer(
    Array.from({ length: 100 }, (_, nth) =>
      ruleWith({ id: nth + 1, name: `Rule ${nth + 1}`, ...(nth === 41 && { ...many, name }) }),
    ),
  );
  await page.viewport(390, 844);
  await openConsole("/notifications?tab=rules");
  const search = page.getByRole("searchbox", { name: "Search rules" });
  await search.fill("north-western");
  const rows = page.getByRole("list", { name: "Rules" }).getByRole("listitem");
  await expectCount(rows, 1);
  await expectContains(rows.first(), `${name}, ${name} and 16 more`);
  await expectNoSidewaysScroll();
  await page.getByRole("button", { name: `Edit ${name}` }).click();
  await expect.element(dialog.getByText("Whom it tells")).toBeVisible();
  const last = await dialog.getByRole("button", { name: "Remove step 1" }).findElement();
  await expect.poll(() => last.getBoundingClientRect().right).toBeLessThanOrEqual(innerWidth);
  await userEvent.keyboard("{Escape}");
  await search.fill("nobody");
  await expect.element(page.getByText("No rules match your search.")).toBeVisible();
});

test("fifty rules: one is switched off in the list, with the rest of it as it is", async () => {
  const rules = Array.from({ length: 50 }, (_, nth) => ruleWith({ id: nth + 1, name: `Rule ${nth + 1}` }));
  when(notificationRules).answer(rules);
  const updated = when(updateNotificationRule).answer({ message: "Changed" });
  await openConsole("/notifications?tab=rules");
  (await page.getByRole("switch", { name: "Rule 50 is on" }).findElement()).focus();
  await userEvent.keyboard(" ");
  await expectToast("Rule Updated", "Rule 50 is off now.");
  const { target_names: _, id: _id, ...body }: NotificationRule = ruleWith({ id: 50, name: "Rule 50" });
  expect(updated[0]?.body).toEqual({ ...body, enabled: false });
});

test("on a phone a rule's switch is large enough for a finger, also beside what is seen of it", async () => {
  await page.viewport(390, 844);
  when(notificationRules).answer([ruleWith({ name: "Robots in danger" })]);
  const changes = when(updateNotificationRule).answer({ message: "Rule updated successfully" });
  await openConsole("/notifications?tab=rules");
  const onOff = page.getByRole("switch", { name: "Robots in danger is on" });
  const { width, height } = (await onOff.findElement()).getBoundingClientRect();
  expect(Math.min(width, height)).toBeGreaterThanOrEqual(44);
  await onOff.click({ position: { x: 20, y: 2 } });
  await expect.poll(() => changes.map(({ body }) => body.enabled)).toEqual([false]);
});

test("a rule is made of alerts, waiting, steps in their order, repeats and an all-clear", async () => {
  when(notificationRules).answer([]);
  const created = when(createNotificationRule).answer({ message: "Added", ruleId: 3 });
  await openConsole("/notifications?tab=rules");
  await page.getByRole("button", { name: "Add Rule" }).click();
  await dialog.getByLabelText(/^Name/).fill("Night");
  await userEvent.keyboard("{Enter}");
  await expectContains(dialog, "Choose who is told");
  await dialog.getByRole("checkbox", { name: "Site dark" }).click();
  await choose(dialog.getByRole("combobox", { name: "Sites" }), "Bhadla Solar Park");
  await choose(dialog.getByRole("combobox", { name: "Step 1: who is told" }), "Meera Iyer");
  await expectContains(dialog, "Reaches nobody");
  await dialog.getByRole("button", { name: "Add step" }).click();
  await choose(dialog.getByRole("combobox", { name: "Step 2: who is told" }), "On call");
  await dialog.getByRole("button", { name: "Move step 2 up" }).click();
  await dialog.getByRole("textbox", { name: "Step 2: minutes without acknowledgement" }).fill("0");
  await userEvent.keyboard("{Enter}");
  await expectContains(dialog, "Step 2: type after how many minutes, from 1 to 1440");
  await dialog.getByRole("textbox", { name: "Step 2: minutes without acknowledgement" }).fill("15");
  await dialog.getByLabelText("Repeat until acknowledged, every (minutes)").fill("4");
  await userEvent.keyboard("{Enter}");
  await expectContains(dialog, "Type a number from 5 to 1440, or nothing");
  await dialog.getByLabelText("Repeat until acknowledged, every (minutes)").fill("30");
  await dialog.getByRole("button", { name: "Add Rule" }).click();
  await expectToast("Rule Added", "Night has been added.");
  expect(created[0]?.body).toEqual({
    name: "Night",
    enabled: true,
    filter: { kinds: ["SITE_DARK"], severities: ["CRITICAL"], site_ids: [1], states: [], partner_ids: [] },
    wait_seconds: 60,
    steps: [
      { after_minutes: 0, to: [{ kind: "ROTA", id: 5 }] },
      { after_minutes: 15, to: [{ kind: "PERSON", id: 3 }] },
    ],
    repeat_minutes: 30,
    tells_cleared: true,
  });
});

test("a rule's dialog fits a phone and is accessible, and what the server refuses is told at its field", async () => {
  when(notificationRules).answer([ruleWith({})]);
  const message = "The person no longer exists.";
  when(updateNotificationRule).fail(400, { message, errors: [{ field: "steps.2.to.0.id", message }] });
  await page.viewport(390, 844);
  await openConsole("/notifications?tab=rules");
  await page.getByRole("button", { name: "Edit Critical at night" }).click();
  await expect.element(dialog.getByText("Meera Iyer").first()).toBeVisible();
  await expectAccessible(dialog);
  await expectNoSidewaysScroll();
  await dialog.getByLabelText(/^Name/).fill("Every night");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expectContains(dialog, message);
});

test("a rota tells who is on duty until when and who comes next; teams and rotas are made of people", async () => {
  const teamMade = when(createTeam).answer({ message: "Added", teamId: 9 });
  const rotaMade = when(createRota).answer({ message: "Added", rotaId: 9 });
  await openConsole("/notifications?tab=teams");
  const rota = page.getByRole("list", { name: "Rotas" }).getByRole("listitem");
  await expectContains(rota, "Asha Rathore is on duty until ");
  await expectContains(rota, "Then Ravi Kumar until ");
  await expectContains(rota, "Asia/Kolkata · 3 people");
  await page.getByRole("button", { name: "Add Team" }).click();
  await dialog.getByLabelText(/^Name/).fill("Field");
  await choose(dialog.getByRole("combobox", { name: "Members" }), "Ravi Kumar – no contact point yet");
  await dialog.getByRole("button", { name: "Add Team" }).click();
  await expectToast("Team Added", "Field has been added.");
  expect(teamMade[0]?.body).toEqual({ name: "Field", member_ids: [2] });
  await page.getByRole("button", { name: "Add Rota" }).click();
  await dialog.getByLabelText(/^Name/).fill("Weekends");
  await dialog.getByLabelText(/^First handover/).fill("4 Dec 2026");
  await choose(dialog.getByRole("combobox", { name: "Add somebody" }), "Asha Rathore");
  await choose(dialog.getByRole("combobox", { name: "Add somebody" }), "Ravi Kumar – no contact point yet");
  await dialog.getByRole("button", { name: "Move Ravi Kumar – no contact point yet up" }).click();
  await dialog.getByRole("button", { name: "Add Rota" }).click();
  await expectToast("Rota Added", "Weekends has been added.");
  expect(rotaMade[0]?.body).toEqual({
    name: "Weekends",
    member_ids: [2, 1],
    timezone: "Asia/Kolkata",
    starts_on: "2026-12-04",
    handover_at: "09:00",
    weeks: 1,
  });
});

test("teams and rotas: failing, empty, and a team that a rule tells is not deleted", async () => {
  when(teamList).fail(500, { message: "Broken" });
  when(rotaList).answer([]);
  when(deleteTeam).fail(409, { message: "The rule Night tells it. Change that first.", code: "CONCURRENT_CHANGE" });
  await openConsole("/notifications?tab=teams");
  await expect.element(page.getByText("The teams could not be loaded.")).toBeVisible();
  await expect.element(page.getByText("No rotas yet.")).toBeVisible();
  await pressRetry(() => when(teamList).answer([sampleTeam]), page.getByRole("heading", { name: "Night watch" }));
  await page.getByRole("button", { name: "Delete Night watch" }).click();
  await dialog.getByRole("button", { name: "Delete Team" }).click();
  await expectContains(dialog, "The rule Night tells it. Change that first.");
});
