import { MUTE_MAX_DAYS } from "@suncrew/contract/notifications/mutes.ts";

const DAY_MS = 86_400_000;

/** Why nothing can be muted until then, in a sentence for the form and for the server's answer; null if it can. */
export function muteUntilProblem(until: Date, now: Date): string | null {
  if (until <= now) return "A mute must end in the future";
  if (until.getTime() - now.getTime() > MUTE_MAX_DAYS * DAY_MS) {
    return `A mute must end within ${MUTE_MAX_DAYS} days`;
  }
  return null;
}
