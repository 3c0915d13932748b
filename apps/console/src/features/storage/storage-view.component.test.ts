import { type Storage, storage } from "@suncrew/contract/storage/storage.ts";
import { keptKinds, keptKindNames } from "@suncrew/domain/storage/kept-kinds.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import {
  expectAccessible,
  expectContains,
  expectNoSidewaysScroll,
  expectTexts,
  pressRetry,
} from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { chooseTheme } from "../../ui/theme/theme-choice.ts";

const GB = 1024 ** 3;
const stored: Storage = {
  measured_at: new Date(Date.now() - 60_000).toISOString(),
  kinds: keptKindNames.map((kind, nth) => ({
    kind,
    keep_days: keptKinds[kind].defaultDays === 0 ? null : keptKinds[kind].defaultDays,
    rows: nth === 3 ? null : 123_456 * nth,
    bytes: Math.max(0, 14 - nth) * GB,
    oldest_at: nth === 4 ? null : "2026-03-01T00:00:00.000Z",
    next_deletion_at: nth === 5 ? null : "2026-07-02T00:00:00.000Z",
  })),
  other_bytes: 0.5 * GB,
  database_bytes: 105.5 * GB,
  disks: [
    { server: "suncrew-1", folder: "/var/lib/suncrew", total_bytes: 200 * GB, free_bytes: 94 * GB, level: "ENOUGH" },
    { server: "suncrew-2", folder: "/var/lib/suncrew", total_bytes: 200 * GB, free_bytes: 24 * GB, level: "LITTLE" },
    { server: "suncrew-2", folder: "database", total_bytes: 110 * GB, free_bytes: 4.5 * GB, level: "NEARLY_NONE" },
  ],
  last_deletion: {
    at: new Date(Date.now() - 180_000).toISOString(),
    deleted: [
      { kind: "readings", rows: 86_000 },
      { kind: "runs", rows: 3 },
    ],
  },
};

const view = page.getByRole("region", { name: "Stored data", exact: true });
const table = view.getByRole("table", { name: "Stored data, the largest first" });

test("stored data: a view of the activity log that shows sizes, how long each is kept, disks and what was deleted last", async () => {
  when(storage).answer({ ...stored, kinds: stored.kinds.toReversed() });
  await openConsole("/activity?view=storage");
  await expect.element(page.getByRole("radio", { name: "Stored Data" })).toBeChecked();
  await expect.element(table).toBeVisible();
  await expectContains(view, "Database106 GB");
  await expectContains(view, "3 min ago: Readings 86,000, Runs 3");
  await expect
    .element(view.getByRole("img", { name: "suncrew-2, /var/lib/suncrew: 24 GB of 200 GB free, 12 %" }))
    .toBeVisible();
  await expect
    .element(view.getByRole("img", { name: "The database's disk: 4.5 GB of 110 GB free, 4 %" }))
    .toBeVisible();
  const row = (name: string) => table.getByRole("row").filter({ hasText: name }).getByRole("cell");
  await expectTexts(row("Readings"), [/^Readings/, "92 days", "14 GB", "0", "1 Mar 2026", "2 Jul 2026"]);
  await expectTexts(table.getByRole("row").nth(4).getByRole("cell"), [
    /^Runs/,
    "3 years",
    "11 GB",
    "–",
    "1 Mar 2026",
    "2 Jul 2026",
  ]);
  await expectTexts(row("Daily figures"), [
    /^Daily figures/,
    "For good",
    "7 GB",
    "about 864,000",
    "1 Mar 2026",
    "2 Jul 2026",
  ]);
  // The largest first.
  await expectContains(table.getByRole("row").nth(1), "Readings");
});

test("stored data: it fits and is accessible at 1440 and 390 px in every theme, also before anything was deleted", async () => {
  when(storage).answer(stored);
  await openConsole("/activity?view=storage");
  for (const theme of ["light", "dark"] as const) {
    chooseTheme(theme);
    for (const width of [1440, 390]) {
      await page.viewport(width, 844);
      await expect.element(table).toBeVisible();
      await expectNoSidewaysScroll();
      await expectAccessible();
    }
  }
  await expectContains(table, "Kept: 92 days");
});

test("stored data: it says that it is loading", async () => {
  when(storage).hang();
  await openConsole("/activity?view=storage");
  await expect.element(view.getByText("Loading stored data...")).toBeInTheDocument();
});

test("stored data: a failure says so and can be retried; without disks and deletions it says what it knows", async () => {
  when(storage).fail(503, { message: "The database is unreachable." });
  await openConsole("/activity?view=storage");
  await expectContains(view, "What is stored could not be measured.");
  await pressRetry(() => when(storage).answer({ ...stored, disks: [], last_deletion: null }), table, view);
  await expectContains(view, "Nothing yet");
  expect(view.getByRole("img").elements()).toHaveLength(0);
});
