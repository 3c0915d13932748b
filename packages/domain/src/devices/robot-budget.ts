/** What is rate-limited per robot: stored rows, and the work of processing its messages and connections. */
export const budgetKinds = ["messages", "connections", "readings", "events", "runs", "alerts"] as const;
export type BudgetKind = (typeof budgetKinds)[number];

interface Limit {
  /** Maximum at once after a quiet period. */
  readonly burst: number;
  /** Sustained rate. */
  readonly perHour: number;
}

/**
 * Far above what a working robot needs: it reports state on every change, rarely twice a second, stores some 200 events
 * while offline and takes minutes per run. Bounds what a broken or hijacked robot can write to the database.
 */
export const robotLimits: Readonly<Record<BudgetKind, Limit>> = {
  messages: { burst: 1_000, perHour: 18_000 },
  /** Only reported, never refused; two machines with the same secret evict each other every second or two. */
  connections: { burst: 30, perHour: 120 },
  readings: { burst: 300, perHour: 7_200 },
  events: { burst: 400, perHour: 720 },
  /** Only runs without a START from Suncrew, which limits its own. */
  runs: { burst: 60, perHour: 120 },
  /** Raised, or changed in text. */
  alerts: { burst: 100, perHour: 240 },
};

/** A flood is over once the robot has stayed within its budgets for this long. */
export const QUIET_AFTER_FLOOD_MS = 600_000;

const HOUR_MS = 3_600_000;

export type Amounts = Readonly<Record<BudgetKind, number>>;

/** How much of its budgets a robot has used; it refills over time. */
export interface BudgetUsage {
  readonly atMs: number;
  readonly used: Amounts;
}

export const noUsage: Amounts = { messages: 0, connections: 0, readings: 0, events: 0, runs: 0, alerts: 0 };

/** The usage at a later time (Unix milliseconds); nothing refills when the clock goes back. */
export function usageAt(use: BudgetUsage, atMs: number): BudgetUsage {
  const hours = Math.max(0, atMs - use.atMs) / HOUR_MS;
  return { atMs, used: eachKind((kind) => Math.max(0, use.used[kind] - hours * robotLimits[kind].perHour)) };
}

/** The usage after further consumption. */
export function usageAfter({ atMs, used }: BudgetUsage, caused: Amounts): BudgetUsage {
  return { atMs, used: eachKind((kind) => used[kind] + caused[kind]) };
}

/** The remainder, in whole units. */
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

/** What each robot may still store. */
export interface RobotBudget {
  /** False once the budget is used up: nothing more is stored. */
  has(robotId: number, kind: BudgetKind): boolean;
  /** Consumes one unit. */
  take(robotId: number, kind: BudgetKind): void;
}

/** For changes not caused by a robot. */
export const unlimited: RobotBudget = { has: () => true, take: () => {} };
