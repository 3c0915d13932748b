import { expect } from "vitest";
import type { SuncrewRun } from "./suncrew-process.ts";

/** A START could work: not at once while servers share out the robots among them. */
export async function expectReady(run: SuncrewRun): Promise<void> {
  const { url } = await run.ready();
  await expect.poll(async () => (await fetch(`${url}/api/ready`)).status, { interval: 250 }).toBe(200);
}
