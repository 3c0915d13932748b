import type { Rota } from "@suncrew/contract/notifications/notification-rules.ts";
import { addDays, daysBetween } from "../schedules/calendar-date.ts";
import { instantOf, siteToday } from "../schedules/site-time.ts";

/**
 * Who is on duty in turns of whole weeks: `starts_on` is the date of the first handover, whose weekday and local time
 * are those of all others.
 */
export type RotaTimes = Readonly<Pick<Rota, "timezone" | "starts_on" | "handover_at" | "weeks">>;

interface Duty<Member> {
  readonly member: Member;
  /** Their place in the order, from 0. */
  readonly index: number;
  /** The next handover. */
  readonly until: Date;
}

/**
 * Who is on duty; null only if the rota has no members. Before the first handover the first member is, so that nobody
 * is told in vain. A member who is gone is null in `members`, and keeps the place, so that the turns of the others stay as
 * they were told; the next one stands in. RangeError for a date, time or zone that does not exist.
 */
export function onDuty<Member>(
  rota: RotaTimes & { readonly members: readonly (Member | null)[] },
  at: Date,
): Duty<Member> | null {
  const turn = turnAt(rota, at);
  const { length } = rota.members;
  for (let nth = 0; nth < length; nth += 1) {
    const index = (turn + nth) % length;
    const member = rota.members[index] ?? null;
    if (member !== null) return { member, index, until: handover(rota, turn + 1) };
  }
  return null;
}

/** Those who are not gone. */
export function presentMembers<Member>({ members }: { readonly members: readonly (Member | null)[] }): Member[] {
  return members.filter((member) => member !== null);
}

/** Turns are counted from 0. */
function turnAt(rota: RotaTimes, at: Date): number {
  const days = daysBetween(rota.starts_on, siteToday(rota.timezone, at));
  let turn = Math.floor(days / (rota.weeks * 7));
  // On the day of a handover the time decides; compared as instants, so that an hour that occurs twice hands over once.
  if (handover(rota, turn) > at) turn -= 1;
  if (handover(rota, turn + 1) <= at) turn += 1;
  return Math.max(0, turn);
}

/** When a turn begins. */
function handover({ timezone, starts_on, handover_at, weeks }: RotaTimes, turn: number): Date {
  return instantOf(addDays(starts_on, turn * weeks * 7), handover_at, timezone);
}
