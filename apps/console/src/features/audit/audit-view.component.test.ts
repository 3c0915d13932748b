import { type AuditEntry, auditList, exportAudit } from "@suncrew/contract/audit/audit.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import { expectAccessible, expectNoToast, expectToast, pressRetry } from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { BHADLA } from "../../../test/sample-fleet.ts";
import { nextSavedFile } from "../../../test/saved-files.ts";

const entry: AuditEntry = {
  id: "7",
  at: "2026-06-01T06:00:05.000Z",
  actor: "Administrator",
  user_id: 1,
  action: "UPDATE_ROBOT",
  entity: "robot",
  entity_id: "56",
  target_name: "Row 1 (SCR-1011)",
  site_id: 1,
  site_name: BHADLA,
  outcome: "DONE",
  reason: null,
  before: { robot_name: "Row 1", installation_date: "2024-01-31", locked_at: null },
  after: { robot_name: "Row 2", installation_date: "2024-01-31", locked_at: "2026-06-01T06:00:05.000Z" },
  seal: null,
};
const head = { number: 7, hash: "ab".repeat(32), sealed_at: entry.at };
const listed = { head, actions: ["SIGN_IN", "UPDATE_ROBOT"], entities: ["robot", "session"], next_cursor: null };
const pageOf = (entries: AuditEntry[]) => ({ ...listed, entries, total: entries.length, total_exact: true });

/** The time as every browser shows it, whatever its language. */
const shown = (at: string) => {
  const time = new Date(at);
  const two = (part: number) => String(part).padStart(2, "0");
  return `${time.getDate()} Jun 2026, ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
};

test("audit view: a table with column titles shows each target's name at the time, and times with their zone", async () => {
  const session = {
    ...entry,
    id: "6",
    action: "SIGN_IN",
    entity: "session",
    entity_id: "0190f3c2-5a1e",
    target_name: null,
  };
  when(auditList).answer(pageOf([entry, { ...session, site_name: null, before: null, after: null }]));
  await openConsole("/activity?view=audit");
  const table = page.getByRole("table", { name: "Changes, newest first" });
  await expect.element(table).toBeVisible();
  const titles = table
    .getByRole("columnheader")
    .elements()
    .map(({ textContent }) => textContent);
  expect(titles[0]).toMatch(/^Time \(\w+.*\)$/);
  expect(titles.slice(1)).toEqual(["Person", "Change", "Target", "Site", "Outcome"]);
  const row = table.getByRole("row").filter({ hasText: "Row 1 (SCR-1011)" });
  await expect.element(row.getByRole("cell").nth(0)).toHaveTextContent(shown(entry.at));
  await expect.element(row.getByRole("cell").nth(2)).toHaveTextContent("Update robot");
  await expect.element(row.getByRole("cell").nth(4)).toHaveTextContent(BHADLA);
  await expect.element(table.getByRole("cell", { name: "Session", exact: true })).toBeVisible();
  await row.getByRole("button").click();
  await expect.element(table.getByRole("row", { name: "Robot name Row 1 Row 2", exact: true })).toBeVisible();
  // Times among the values, too; unchanged values are not listed.
  const locked = table.getByRole("row", { name: `Locked at – ${shown(entry.at)} (`, exact: false });
  await expect.element(locked.last()).toBeVisible();
  await expect.element(table.getByText("Installation date")).not.toBeInTheDocument();
  await expectAccessible();
});

test("audit view: an exact count belongs to the filters it was requested for", async () => {
  const asked: { readonly exact: boolean; readonly search: string | undefined }[] = [];
  when(auditList).answer(({ query: { exact_total: exact = false, search } }) => {
    asked.push({ exact, search });
    return { ...listed, entries: [entry], total: exact ? 12_345 : 10_000, total_exact: exact };
  });
  await openConsole("/activity?view=audit");
  await page.getByRole("button", { name: "Count exactly" }).click();
  await expect.element(page.getByText("Showing 1 of 12,345 changes")).toBeVisible();
  await page.getByRole("searchbox", { name: "Search audit" }).fill("row");
  await expect.element(page.getByText("Showing 1 of 10,000+ changes")).toBeVisible();
  await expect.element(page.getByRole("button", { name: "Count exactly" })).toBeVisible();
  expect(asked.filter(({ exact }) => exact)).toEqual([{ exact: true, search: undefined }]);
});

test("audit view: what the filters select is saved as CSV; if there is nothing to export it says so", async () => {
  const calls = when(exportAudit).answer("Time (UTC),Person\r\n");
  when(auditList).answer(({ query: { search } }) => pageOf(search === "nothing" ? [] : [entry]));
  await openConsole("/activity?view=audit&words=row&did=UPDATE_ROBOT");
  await page.getByRole("button", { name: "Export CSV" }).click();
  const { name, text } = await nextSavedFile();
  expect([name, text]).toEqual([expect.stringMatching(/^audit-\d{4}-\d\d-\d\d\.csv$/), "Time (UTC),Person\r\n"]);
  expect(calls.map(({ query }) => query)).toEqual([{ search: "row", action: "UPDATE_ROBOT" }]);
  await page.getByRole("searchbox", { name: "Search audit" }).fill("nothing");
  await expect.element(page.getByText("No changes found")).toBeVisible();
  await expect.element(page.getByRole("button", { name: "Export CSV" })).toHaveAttribute("aria-disabled", "true");
});

test("§8 Fetch failures: loading, failed and loaded audit each have their state", async () => {
  when(auditList).fail(503, { message: "The database cannot be reached." });
  await openConsole("/activity?view=audit");
  await expect.element(page.getByText("The audit could not be loaded.")).toBeVisible();
  await expectNoToast();
  await pressRetry(
    () => when(auditList).answer(pageOf([entry])),
    page.getByRole("row").filter({ hasText: "SCR-1011" }),
  );
});

test("§8: a file that breaks off, or does not begin, is reported in our own words, not the browser's", async () => {
  when(auditList).answer(() => pageOf([entry]));
  when(exportAudit).offline();
  await openConsole("/activity?view=audit");
  await page.getByRole("button", { name: "Export CSV" }).click();
  await expectToast("Export Failed", "The audit could not be exported.", "The server could not be reached.");
  const cut = () =>
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode("Time (UTC),"));
        controller.error(new TypeError("Failed to fetch"));
      },
    });
  when(exportAudit).answerOddly(() => new Response(cut(), { headers: { "content-type": "text/csv" } }));
  await page.getByRole("button", { name: "Export CSV" }).click();
  const reason = "The connection was cut before the whole file had come.";
  await expectToast("Export Failed", "The audit could not be exported.", reason);
});
