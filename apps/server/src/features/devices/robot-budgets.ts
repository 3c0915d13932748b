import {
  type Amounts,
  type BudgetKind,
  type BudgetUsage,
  remainingOf,
  noUsage,
  QUIET_AFTER_FLOOD_MS,
  usageAfter,
  usageAt,
} from "@suncrew/domain/devices/robot-budget.ts";
import type { Clock } from "../../platform/clock.ts";

interface Account {
  use: BudgetUsage;
  /** When it last exceeded its budget; null if it never did. */
  exceededAtMs: number | null;
  /** The same for connections, which are always accepted. */
  reconnectedAtMs: number | null;
}

/** What is excessive about a robot's traffic, now or recently. */
interface Excess {
  readonly messages: boolean;
  readonly connections: boolean;
}

/** What one robot may still cause, for one attempt to store its messages. */
export class Allowance {
  readonly #left: Amounts;
  readonly taken: Record<BudgetKind, number> = { ...noUsage };
  #wantedMore = false;
  readonly #before: Excess;

  constructor(left: Amounts, before: Excess) {
    this.#left = left;
    this.#before = before;
  }

  /** For past data, and data entered by hand. */
  static unlimited(): Allowance {
    const all = Number.POSITIVE_INFINITY;
    const left = { messages: all, connections: all, readings: all, events: all, runs: all, alerts: all };
    return new Allowance(left, { messages: false, connections: false });
  }

  has(kind: BudgetKind): boolean {
    if (this.taken[kind] < this.#left[kind]) return true;
    this.#wantedMore = true;
    return false;
  }

  take(kind: BudgetKind): void {
    this.taken[kind] += 1;
  }

  get wantedMore(): boolean {
    return this.#wantedMore;
  }

  /** Whether it sends more than a working robot can, now or recently. */
  get isFlooding(): boolean {
    return this.#wantedMore || this.#before.messages;
  }

  /** Whether it connects more often than a bad link explains, now or recently. */
  get isReconnecting(): boolean {
    return this.#before.connections;
  }
}

/** Each robot's budget usage, in the bridge's memory: a new bridge starts with full budgets. */
export class RobotBudgets {
  readonly #clock: Pick<Clock, "now">;
  readonly #accounts = new Map<string, Account>();
  /** Beyond these many, the least recently heard are evicted, and start again with full budgets. */
  maxRobots = Number.POSITIVE_INFINITY;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** Counts a message that arrived; false if it exceeds the robot's budget. */
  takeMessage(serial: string): boolean {
    const account = this.#accountOf(serial);
    if (remainingOf(account.use).messages < 1) {
      account.exceededAtMs = account.use.atMs;
      return false;
    }
    account.use = usageAfter(account.use, { ...noUsage, messages: 1 });
    return true;
  }

  /** Counts a new connection, which is accepted whatever the budget. */
  noteConnection(serial: string): void {
    const account = this.#accountOf(serial);
    if (remainingOf(account.use).connections < 1) account.reconnectedAtMs = account.use.atMs;
    else account.use = usageAfter(account.use, { ...noUsage, connections: 1 });
  }

  allowanceOf(serial: string): Allowance {
    const { use, exceededAtMs, reconnectedAtMs } = this.#accountOf(serial);
    const isRecent = (atMs: number | null) => atMs !== null && use.atMs - atMs < QUIET_AFTER_FLOOD_MS;
    const before = { messages: isRecent(exceededAtMs), connections: isRecent(reconnectedAtMs) };
    return new Allowance(remainingOf(use), before);
  }

  /** Counts what was stored; what was rolled back costs nothing. */
  settle(serial: string, { taken, wantedMore }: Allowance): void {
    const account = this.#accountOf(serial);
    account.use = usageAfter(account.use, taken);
    if (wantedMore) account.exceededAtMs = account.use.atMs;
  }

  #accountOf(serial: string): Account {
    const nowMs = this.#clock.now().getTime();
    const known = this.#accounts.get(serial);
    const account = known ?? { use: { atMs: nowMs, used: noUsage }, exceededAtMs: null, reconnectedAtMs: null };
    account.use = usageAt(account.use, nowMs);
    // Keeps the map in order of last contact.
    this.#accounts.delete(serial);
    this.#accounts.set(serial, account);
    if (this.#accounts.size > this.maxRobots) {
      const oldest = this.#accounts.keys().next();
      if (!oldest.done) this.#accounts.delete(oldest.value);
    }
    return account;
  }
}
