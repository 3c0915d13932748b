import { MantineProvider } from "@mantine/core";
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { expect, onTestFinished, test } from "vitest";
import { page } from "vitest/browser";
import { VirtualTable } from "./virtual-table.tsx";

const ROW_PX = 40;

/** A table of numbers that has at most 400 px for its rows; on a phone it is all that a dialog of 700 px contains. */
async function heightsOf(count: number, isNarrow: boolean) {
  const place = document.createElement("div");
  place.style.setProperty("--height", "400px");
  if (isNarrow) place.style.cssText += "display: flex; flex-direction: column; height: 700px";
  const root = createRoot(document.body.appendChild(place));
  onTestFinished(() => {
    root.unmount();
    place.remove();
  });
  const Numbers = () =>
    VirtualTable<number>({
      label: "Numbers",
      columns: ["Number"],
      rows: Array.from({ length: count }, (_, index) => index),
      keyOf: String,
      rowPx: ROW_PX,
      isNarrow,
      className: "",
      rowClassName: "",
      children: (row) => createElement("span", { role: "cell" }, `Number ${row}`),
    });
  root.render(createElement(MantineProvider, null, createElement(Numbers)));
  const rows = page.getByRole("rowgroup", { name: "Numbers, scrollable" });
  await expect.element(rows).toBeInTheDocument();
  await expect.poll(() => rows.getByRole("row").elements().length > 0).toBe(count > 0);
  const whole = page.getByRole("table", { name: "Numbers" }).element().getBoundingClientRect();
  const scrolled = rows.element().getBoundingClientRect();
  return {
    rowsPx: scrolled.height,
    belowPx: whole.bottom - scrolled.bottom,
    isScrolled: rows.element().scrollHeight > scrolled.height,
  };
}

test.each([0, 1, 5])("a table of %i rows ends with them, in a page and on a phone", async (count) => {
  for (const isNarrow of [false, true]) {
    const { rowsPx, belowPx, isScrolled } = await heightsOf(count, isNarrow);
    expect({ isNarrow, rowsPx, belowPx, isScrolled }).toEqual({
      isNarrow,
      rowsPx: count * ROW_PX,
      belowPx: 1,
      isScrolled: false,
    });
    document.body.replaceChildren();
  }
});

test("a table of 5,000 rows scrolls in its height, and on a phone in all that is left", async () => {
  expect(await heightsOf(5000, false)).toEqual({ rowsPx: 400, belowPx: 1, isScrolled: true });
  document.body.replaceChildren();
  expect((await heightsOf(5000, true)).rowsPx).toBeGreaterThan(600);
});
