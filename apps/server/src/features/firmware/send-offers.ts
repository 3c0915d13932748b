import { offerRefusal } from "@suncrew/domain/firmware/offer-refusal.ts";
import type { Tx } from "../../platform/database/database.ts";
import { lockRobots, showChange } from "../commands/public.ts";
import { readOffered } from "./candidates.repository.ts";
import { claimOffers, findUnanswered, type OfferToSend, withdrawUnsent } from "./offers.repository.ts";

/** Offers in one transaction. */
const AT_ONCE = 500;

/**
 * Takes the offers that are due for sending, under the locks on their robots: each time only to a robot that may take
 * the firmware now (protocol rule 13), for it may have changed since it was offered. Where it may not, what was never
 * sent is taken back, and what was sent is not sent again.
 */
export async function takeOffers(tx: Tx, now: Date): Promise<OfferToSend[]> {
  const locked = await lockRobots(tx, await findUnanswered(tx, now, AT_ONCE), { skipLocked: true });
  const fits = new Map(
    (await readOffered(tx, [...locked.keys()])).map((robot) => [
      robot.robotId,
      offerRefusal(robot, robot.version, now) === null,
    ]),
  );
  const those = (fitting: boolean) => [...fits].flatMap(([robotId, fit]) => (fit === fitting ? [robotId] : []));
  await showChange(tx, await withdrawUnsent(tx, those(false)));
  return claimOffers(tx, those(true), now);
}
