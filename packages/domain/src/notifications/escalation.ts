import type { NotificationRule, RuleStep } from "@suncrew/contract/notifications/notification-rules.ts";

/** What a rule says about when to tell. */
export type TellingTimes = Readonly<Pick<NotificationRule, "wait_seconds" | "repeat_minutes">> & {
  /** The first after 0 minutes, the others in the order of their minutes. */
  readonly steps: readonly Pick<RuleStep, "after_minutes">[];
};

/** Where an alert that nobody has acknowledged stands under a rule. */
export interface NoticeState {
  /** When the alert was raised, or got worse. */
  readonly raisedAt: Date;
  /** When the first step was told; null before that, and again for an alert that got worse. */
  readonly firstToldAt: Date | null;
  /** When somebody was last told of it, also before it got worse. */
  readonly lastToldAt: Date | null;
  /** The last step told, from 0; null before the first, and again for an alert that got worse. */
  readonly step: number | null;
}

export interface Telling {
  /** From 0; repeats go to the people of all steps. */
  readonly step: number | "all";
  /** May have passed. */
  readonly at: Date;
  readonly reason: "RAISED" | "ESCALATED" | "REPEATED";
}

/**
 * Who is to be told next and when; null if nobody. An alert that got worse after it was told does not wait again. After a
 * step that was told late, as after a mute, the next still leaves its people the time that lies between the two.
 */
export function nextTelling(rule: TellingTimes, notice: NoticeState): Telling | null {
  const { raisedAt, firstToldAt, lastToldAt, step } = notice;
  if (step === null || firstToldAt === null || lastToldAt === null) {
    const waitMs = lastToldAt === null ? rule.wait_seconds * 1_000 : 0;
    return { step: 0, at: new Date(raisedAt.getTime() + waitMs), reason: "RAISED" };
  }
  const next = rule.steps[step + 1];
  if (next !== undefined) {
    const between = next.after_minutes - (rule.steps[step]?.after_minutes ?? 0);
    const at = Math.max(firstToldAt.getTime() + next.after_minutes * 60_000, lastToldAt.getTime() + between * 60_000);
    return { step: step + 1, at: new Date(at), reason: "ESCALATED" };
  }
  if (rule.repeat_minutes === null) return null;
  return { step: "all", at: new Date(lastToldAt.getTime() + rule.repeat_minutes * 60_000), reason: "REPEATED" };
}

/** The notice after that telling, which leaves the step as it is if all were told. */
export function noticeAfter(notice: NoticeState, { step }: Pick<Telling, "step">, toldAt: Date): NoticeState {
  const { firstToldAt } = notice;
  return {
    ...notice,
    firstToldAt: firstToldAt ?? toldAt,
    lastToldAt: toldAt,
    step: step === "all" ? notice.step : step,
  };
}
