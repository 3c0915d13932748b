import axe from "axe-core";
import { expect } from "vitest";
import { type Locator, page, userEvent } from "vitest/browser";

const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** Exactly these elements exist, with exactly these texts, ignoring differences in white space. */
export async function expectTexts(locator: Locator, texts: readonly (string | RegExp)[]): Promise<void> {
  const wanted = texts.map((text): unknown => (text instanceof RegExp ? expect.stringMatching(text) : text));
  await expect.poll(() => locator.elements().map(textOf)).toEqual(wanted);
}

/** There is one such element, and this is its whole text. */
export async function expectText(locator: Locator, text: string | RegExp): Promise<void> {
  await expectTexts(locator, [text]);
}

/** There is one such element, and this is part of its text. */
export async function expectContains(locator: Locator, part: string): Promise<void> {
  await expect.poll(() => textOf(locator.query())).toContain(part);
}

export async function expectCount(locator: Locator, count: number): Promise<void> {
  await expect.poll(() => locator.elements().length).toBe(count);
}

/** A disabled button or toggle that explains why, also to screen readers. */
export async function expectDisabled(control: Locator, reason: string): Promise<void> {
  await expect.element(control).toHaveAttribute("aria-disabled", "true");
  await expect.element(control).toHaveAccessibleDescription(reason);
}

export async function expectEnabled(control: Locator): Promise<void> {
  await expect.element(control).toBeVisible();
  await expect.element(control).not.toHaveAttribute("aria-disabled", "true");
}

/**
 * Presses Retry once `fixed` has let the call succeed, until `loaded` is shown. A load that the page had begun by itself
 * before may end later: it may fail, with a new button, or the press may come while there is none.
 */
export async function pressRetry(
  fixed: () => void,
  loaded: Locator,
  within: Pick<Locator, "getByRole"> = page,
): Promise<void> {
  const button = within.getByRole("button", { name: "Retry" });
  await expect.element(button).toBeVisible();
  fixed();
  const press = () => {
    const [shown] = button.elements();
    if (shown instanceof HTMLElement) shown.click();
    return loaded.elements().length > 0;
  };
  await expect.poll(press).toBe(true);
  await expect.element(loaded).toBeVisible();
}

/** A toast with this title and exactly these lines, shown now or since the last one that was expected. */
export async function expectToast(title: string, ...lines: readonly string[]): Promise<void> {
  await expect.poll(() => [...endedToasts, ...toasts()]).toContainEqual({ title, text: lines.join("") });
  forgetEndedToasts();
}

/** There is no toast with this title. */
export async function expectNoToastOf(title: string): Promise<void> {
  await expect.poll(() => toasts().map((toast) => toast.title)).not.toContain(title);
}

/** No toast is left, or none was shown. */
export async function expectNoToast(): Promise<void> {
  await expect.poll(toasts).toEqual([]);
}

/** The path and query of the URL, such as `/sites?site=1`. */
export async function expectAddress(address: string | RegExp): Promise<void> {
  await expect.poll(() => location.pathname + location.search).toMatch(address);
}

/** Nothing is wider than the window. */
export async function expectNoSidewaysScroll(): Promise<void> {
  await expect.poll(() => document.documentElement.scrollWidth).toBeLessThanOrEqual(innerWidth);
}

/** The rows of a virtual table in this part are no wider than the table, and what is in them no higher than they are. */
export async function expectColumnsSeen(part: Locator): Promise<void> {
  const hiddenPx = () => {
    const rows = part.getByRole("rowgroup").element();
    const wider = [rows, ...rows.querySelectorAll("*")].map((one) => one.scrollWidth - one.clientWidth);
    const higher = [...rows.querySelectorAll("[role=row]")].map((one) => one.scrollHeight - one.clientHeight);
    return Math.max(...wider, ...higher);
  };
  await expect.poll(hiddenPx).toBeLessThanOrEqual(0);
}

/**
 * Fails with each rule violated (WCAG A and AA) and the elements that violate it, once everything has loaded.
 *
 * @param part for example an open dialog, if what it half covers does not count; by default the page
 */
export async function expectAccessible(part?: Locator): Promise<void> {
  await expect.poll(() => brokenRules(part)).toEqual([]);
}

async function brokenRules(part: Locator | undefined): Promise<readonly string[]> {
  // Halfway through a fade all text is pale; a skeleton's shimmer never ends.
  const passing = document
    .getAnimations()
    .filter((animation) => animation.effect?.getComputedTiming().endTime !== Infinity);
  await Promise.allSettled(passing.map((animation) => animation.finished));
  const { violations } = await axe.run(part?.element() ?? document, { runOnly: rules });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.join(" ")} ${node.failureSummary ?? ""}`),
  );
}

/** Presses a key while the control has the focus. */
export async function press(control: Locator, key: "Enter"): Promise<void> {
  const element = await control.findElement();
  element.focus();
  await userEvent.keyboard(`{${key}}`);
}

/** The site buttons or the site list, whichever is shown. */
export function siteButton(name: string): Locator {
  return page.getByRole("group", { name: /^(All Sites|Site buttons)$/ }).getByRole("button", { name });
}

interface ToastLine {
  readonly title: string;
  readonly text: string;
}

function toasts(): ToastLine[] {
  return [...document.querySelectorAll('section[aria-label="Messages"] > div')].flatMap((toast) =>
    [...toast.querySelectorAll("p")].map((message) => ({
      title: textOf(toast.querySelector("strong")),
      text: textOf(message),
    })),
  );
}

/** The toasts when the page last changed, and those that have ended since one was expected. */
let shownToasts: readonly ToastLine[] = [];
let endedToasts: readonly ToastLine[] = [];

const toastRecorder = new MutationObserver(() => {
  const shown = toasts();
  const isShown = (line: ToastLine) => shown.some(({ title, text }) => title === line.title && text === line.text);
  endedToasts = [...endedToasts, ...shownToasts.filter((line) => !isShown(line))];
  shownToasts = shown;
});

/** Keeps every toast that ends: one that closes after 3 seconds may be gone before a test on a busy machine looks. */
export function recordToasts(): void {
  toastRecorder.observe(document, { childList: true, subtree: true, characterData: true });
}

export function forgetEndedToasts(): void {
  endedToasts = [];
}

function textOf(element: Element | null): string {
  return (element?.textContent ?? "").replaceAll(/\s+/g, " ").trim();
}
