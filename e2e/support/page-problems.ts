import type { Page } from "@playwright/test";

/**
 * Everything that a page should not report: content policy violations, thrown errors, errors on its console.
 * A test that provokes one, such as a refused call, allows it by its text.
 */
export class PageProblems {
  readonly #found: string[] = [];
  readonly #allowed: { readonly pattern: RegExp; readonly from: number }[] = [
    // The console asks the robots that it shows for their status by itself: one of the demo's is offline, and on a busy
    // machine others answer too late.
    { pattern: /status of 504 .*getRobotStatus/, from: 0 },
  ];

  /** Must run before the page's first navigation. */
  async watch(page: Page): Promise<void> {
    await page.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (event) => {
        console.error(`Content policy violated: ${event.violatedDirective} by ${event.blockedURI || "inline"}`);
      });
      // What moves or is replaced between press and release is not clicked, and nothing else would say why.
      const pressable = (event: Event) =>
        (event.target as Element).closest?.("button, a, label, input, [role=option], [role=menuitem]") ?? null;
      let down: { readonly at: string; readonly on: Element | null } | null = null;
      const placeOf = ({ clientX, clientY }: PointerEvent) => `${clientX},${clientY}`;
      addEventListener("pointerdown", (event) => (down = { at: placeOf(event), on: pressable(event) }), true);
      addEventListener(
        "pointerup",
        (event) => {
          if (down?.at !== placeOf(event) || down.on === null || down.on === pressable(event)) return;
          console.error(`A press was lost: ${down.on.textContent} was no longer under the pointer when released`);
        },
        true,
      );
    });
    page.on("pageerror", (error) => this.#found.push(`Thrown: ${error.message}`));
    page.on("console", (message) => {
      if (message.type() !== "error") return;
      this.#found.push(`Console: ${message.text()} (${message.location().url})`);
    });
  }

  /** Problems whose text matches are expected in this test. */
  allow(pattern: RegExp): void {
    this.#allowed.push({ pattern, from: 0 });
  }

  /** The same, from now on: what was found before remains a problem. */
  allowFromNow(pattern: RegExp): void {
    this.#allowed.push({ pattern, from: this.#found.length });
  }

  /** What was found and is not allowed. */
  unexpected(): string[] {
    return this.#found.filter(
      (problem, nth) => !this.#allowed.some(({ pattern, from }) => nth >= from && pattern.test(problem)),
    );
  }
}
