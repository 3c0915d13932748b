/** What a robot's messages may cause: rows that stay, and the work of taking in its messages and connections. */
export const budgetKinds = ["messages", "connections", "readings", "events", "runs", "alerts"] as const;
export type BudgetKind = (typeof budgetKinds)[number];

interface Limit {
  /** So many at once, after it was quiet. */
  readonly burst: number;
  /** So many in the long run. */
  readonly perHour: number;
}

/**
 * Far above what a working robot does: it shows its state on every change, hardly ever twice a second, keeps some 200
 * events while it is away, and takes minutes to clean. What one that is broken or in wrong hands can fill the database
 * with is bounded by them.
 */
export const robotLimits: Readonly<Record<BudgetKind, Limit>> = {
  messages: { burst: 1_000, perHour: 18_000 },
  /** None is dropped for it; two machines with one secret that throw each other out connect every second or two. */
  connections: { burst: 30, perHour: 120 },
  readings: { burst: 300, perHour: 7_200 },
  events: { burst: 400, perHour: 720 },
  /** Those that no START of Suncrew names; its own are bounded by who starts. */
  runs: { burst: 60, perHour: 120 },
  /** Raised, or told in other words. */
  alerts: { burst: 100, perHour: 240 },
};

/** A robot that has kept within its budgets for so long is told of no more. */
export const QUIET_AFTER_FLOOD_MS = 600_000;

const HOUR_MS = 3_600_000;

export type Amounts = Readonly<Record<BudgetKind, number>>;

/** How much of its budgets a robot has used up; it comes back with time. */
export interface BudgetUsage {
  readonly atMs: number;
  readonly used: Amounts;
}

export const noUsage: Amounts = { messages: 0, connections: 0, readings: 0, events: 0, runs: 0, alerts: 0 };

/** The same at a later time, in milliseconds since 1970; a clock that went back gives nothing back. */
export function usageAt(use: BudgetUsage, atMs: number): BudgetUsage {
  const hours = Math.max(0, atMs - use.atMs) / HOUR_MS;
  return { atMs, used: eachKind((kind) => Math.max(0, use.used[kind] - hours * robotLimits[kind].perHour)) };
}

/** After it caused so much more. */
export function usageAfter({ atMs, used }: BudgetUsage, caused: Amounts): BudgetUsage {
  return { atMs, used: eachKind((kind) => used[kind] + caused[kind]) };
}

/** What it may still cause, in whole things. */
export function remainingOf({ used }: BudgetUsage): Amounts {
  return eachKind((kind) => Math.max(0, Math.floor(robotLimits[kind].burst - used[kind] + 1e-9)));
}

function eachKind(amountOf: (kind: BudgetKind) => number): Amounts {
  return {
    messages: amountOf("messages"),
    connections: amountOf("connections"),
    readings: amountOf("readings"),
    events: amountOf("events"),
    runs: amountOf("runs"),
    alerts: amountOf("alerts"),
  };
}

/** What robots may still put on record, by robot. */
export interface RobotBudget {
  /** False past the budget: nothing of it is kept. */
  has(robotId: number, kind: BudgetKind): boolean;
  /** Takes one of it. */
  take(robotId: number, kind: BudgetKind): void;
}

/** For what no robot causes. */
export const unlimited: RobotBudget = { has: () => true, take: () => {} };
