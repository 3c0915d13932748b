import { MantineProvider } from "@mantine/core";
import { createElement, useState } from "react";
import { createRoot } from "react-dom/client";
import { expect, onTestFinished, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { DayField, dayIn } from "./day-field.tsx";

test.each([
  ["22 Nov 2026", "2026-11-22"],
  ["22 november 2026", "2026-11-22"],
  ["3-Sept-2026", "2026-09-03"],
  ["22/11/2026", "2026-11-22"],
  [" 3.2.2026 ", "2026-02-03"],
  ["22112026", "2026-11-22"],
  ["2026-11-22", "2026-11-22"],
  ["29 Feb 2028", "2028-02-29"],
  ["29 Feb 2026", null],
  ["22 Nov 202", null],
  ["22 Foo 2026", null],
  ["11/22/2026", null],
  ["1 Jan 1969", null],
  ["2211202", null],
  ["", null],
])("dates: %j is the day %s", (text, day) => {
  expect(dayIn(text)).toBe(day);
});

/** A field for a day, with what it reported. */
function showField(first: string): string[] {
  const told: string[] = [];
  function Field() {
    const [day, setDay] = useState(first);
    const onChange = (next: string) => {
      told.push(next);
      setDay(next);
    };
    return createElement(DayField, { label: "Start date", day, onChange });
  }
  const container = document.body.appendChild(document.createElement("div"));
  const root = createRoot(container);
  onTestFinished(() => {
    root.unmount();
    container.remove();
  });
  root.render(createElement(MantineProvider, null, createElement(Field)));
  return told;
}

test("dates: shown in one form whatever the browser's language, typed in several, and only whole ones are reported", async () => {
  const told = showField("2026-11-22");
  const field = page.getByLabelText("Start date");
  await expect.element(field).toHaveValue("22 Nov 2026");
  await field.fill("3/2/2026");
  // What is being typed stays as it is until the field is left.
  await expect.element(field).toHaveValue("3/2/2026");
  await userEvent.tab();
  await expect.element(field).toHaveValue("3 Feb 2026");
  await field.fill("31 Feb 2026");
  await userEvent.tab();
  await expect.element(field).toHaveAccessibleDescription("Type a date such as 22 Nov 2026");
  await field.fill("");
  await userEvent.tab();
  await expect.element(field).toHaveAccessibleDescription("");
  expect(told).toEqual(["2026-02-03", ""]);
});

test("dates: the calendar opens from its button, and what is chosen there is shown", async () => {
  const told = showField("");
  await expect.element(page.getByLabelText("Start date")).toBeVisible();
  const native = document.querySelector<HTMLInputElement>('input[type="date"]');
  if (native === null) throw new Error("The field has no calendar.");
  const opened = new Promise<void>((resolve) => {
    native.showPicker = () => resolve();
  });
  await page.getByRole("button", { name: "Open calendar" }).click();
  await opened;
  await userEvent.fill(native, "2026-11-22");
  await expect.element(page.getByLabelText("Start date")).toHaveValue("22 Nov 2026");
  expect(told).toEqual(["2026-11-22"]);
});
