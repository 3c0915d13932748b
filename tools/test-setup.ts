import fc from "fast-check";
import { afterAll, inject, vi } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** How long random tests run: `factor` times as long as in `npm test`, from this seed. */
    soak: { readonly factor: number; readonly seed: number };
  }
}

fc.configureGlobal({ seed: inject("soak").seed, includeErrorInReport: true });

// The next file of this worker shares its globals.
afterAll(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});
