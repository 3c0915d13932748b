import { createElement, type ReactNode, useLayoutEffect } from "react";
import { createRoot } from "react-dom/client";
import { expect, onTestFinished, test } from "vitest";
import { page } from "vitest/browser";
import { lazyPart } from "./lazy-part.tsx";

function show(content: ReactNode): void {
  const container = document.body.appendChild(document.createElement("div"));
  const root = createRoot(container);
  onTestFinished(() => {
    root.unmount();
    container.remove();
  });
  root.render(content);
}

test("a part whose files arrive between its first rendering and its effects is shown", async () => {
  const { promise, resolve } = Promise.withResolvers<() => string>();
  const Part = lazyPart(() => promise, { waiting: "Loading", failed: () => "Failed" });
  // As a button under the pointer does, whose press then shows the part.
  void Part.preload();
  function Opened(): ReactNode {
    // Runs once the part is rendered, before its own effect.
    useLayoutEffect(() => resolve(() => "All of it"), []);
    return createElement(Part);
  }

  show(createElement(Opened));

  await expect.element(page.getByText("All of it")).toBeVisible();
});
