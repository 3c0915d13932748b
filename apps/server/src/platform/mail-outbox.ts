import type { CodedText } from "@suncrew/contract/http/coded-text.ts";
import { mailTexts } from "./mail-texts.ts";
import { sql } from "kysely";
import type { Db, Executor, Tx } from "./database/database.ts";
import { type Claim, LeasedQueue } from "./database/leased-queue.ts";
import { reasonColumns } from "./database/reason-columns.ts";
import { inTransaction } from "./database/transactions.ts";
import type { Dependencies } from "./dependencies.ts";
import { canSendMail, type Mail, type Mailer, MailRefused } from "./mailer.ts";
import { PeriodicTasks } from "./periodic-task.ts";

const CHECK_INTERVAL_MS = 10_000;

/** What became of a mail, so far where it is PENDING. */
export interface MailOutcome {
  readonly status: "NONE" | "PENDING" | "SENT" | "FAILED";
  readonly reason: CodedText | null;
  /** Null unless PENDING. */
  readonly retryAt: Date | null;
  readonly sentTo: readonly string[];
}

/** A mail as it would be sent now: to whom, and what. */
export interface ComposedMail {
  readonly recipients: readonly string[];
  /** Called only where somebody has not got it yet. */
  readonly write: (to: readonly string[]) => Promise<Mail>;
}

/** One kind of mail; `aboutId` is the id of the row that a mail of this kind is about. */
export interface MailKind {
  /** As the table has it. */
  readonly kind: string;
  /** As the log calls one, such as "a monthly report". */
  readonly what: string;
  /**
   * Whoever changes recipients or settings after it was queued reaches the next try. Answers why nobody gets it any
   * more.
   */
  compose(db: Db, aboutId: number): Promise<ComposedMail | { readonly none: CodedText }>;
  /** Does what follows from an outcome, in the transaction that stores it. */
  onOutcome(tx: Tx, aboutId: number, outcome: MailOutcome, at: Date): Promise<void>;
  /** Queues what is to be sent and was stored elsewhere. */
  adopt?(db: Db, now: Date): Promise<void>;
  /** When to try again after that many attempts have failed; null to give up. */
  retryTime(failedAttempts: number, now: Date): Date | null;
}

interface MailClaim extends Claim {
  readonly kind: string;
  readonly aboutId: number;
  /** Recipients that an earlier attempt has reached. */
  readonly sentTo: readonly string[];
}

/** Mails of kinds that this server knows; others are left to newer servers. */
const queueOf = (kinds: readonly string[]) =>
  new LeasedQueue("outgoing_mails", {
    attempts: "attempts",
    dueAt: "due_at",
    isOpen: sql<boolean>`status = 'PENDING' and kind = any(${[...kinds]}::text[])`,
  });

/** Queues a mail in the transaction that makes it due; one that is queued already stays as it is. */
export async function enqueueMail(tx: Executor, kind: string, aboutId: number, at: Date): Promise<void> {
  await tx
    .insertInto("outgoing_mails")
    .values({ kind, about_id: aboutId, created_at: at, due_at: at })
    .onConflict((conflict) => conflict.columns(["kind", "about_id"]).doNothing())
    .execute();
}

/** Gives up every mail that waits, in the caller's transaction. */
export async function giveUpMails(tx: Executor, reason: CodedText): Promise<void> {
  await tx
    .updateTable("outgoing_mails")
    .set({ status: "FAILED", ...reasonColumns(reason), due_at: null })
    .where("status", "=", "PENDING")
    .execute();
}

/** Claims the mail that has been due the longest; null where none is due. */
export async function claimMail(db: Db, kinds: readonly string[], now: Date): Promise<MailClaim | null> {
  const queue = queueOf(kinds);
  const { rows } = await sql<MailClaim>`
    update outgoing_mails m set ${queue.claiming("m", now)} where m.id = ${queue.nextDue(now)}
    returning m.id, m.kind, m.about_id as "aboutId", m.sent_to as "sentTo", m.attempts as attempt`.execute(db);
  return rows[0] ?? null;
}

type OutboxDependencies = Pick<Dependencies, "db" | "clock" | "log" | "mailer">;

/**
 * Sends the mails that are queued, on every server with SMTP, one at a time each. If a server dies between sending a
 * mail and storing that, the mail is sent again when its lease ends: rather twice, under the same Message-ID, than
 * never.
 */
export class MailOutbox extends PeriodicTasks {
  readonly #deps: OutboxDependencies;
  readonly #kinds: ReadonlyMap<string, MailKind>;

  constructor(deps: OutboxDependencies, kinds: readonly MailKind[]) {
    super(deps, [{ name: "mail", everyMs: CHECK_INTERVAL_MS, work: (stopping) => this.#sendDue(stopping) }]);
    this.#deps = deps;
    this.#kinds = new Map(kinds.map((each) => [each.kind, each]));
  }

  async #sendDue(stopping: AbortSignal): Promise<void> {
    const { db, clock, mailer } = this.#deps;
    // A server without a mail server leaves mails to the others, or until one is set up.
    if (mailer === undefined || !(await canSendMail(mailer))) return;
    for (const kind of this.#kinds.values()) await kind.adopt?.(db, clock.now());
    while (!stopping.aborted) {
      const claim = await claimMail(db, [...this.#kinds.keys()], clock.now());
      const kind = claim && this.#kinds.get(claim.kind);
      if (!kind) return;
      await this.#store(claim, kind, await this.#send(claim, kind, mailer, stopping));
    }
  }

  async #send(claim: MailClaim, kind: MailKind, mailer: Mailer, stopping: AbortSignal): Promise<MailOutcome> {
    const { db, clock, log } = this.#deps;
    const { aboutId, attempt, sentTo } = claim;
    const mail = await kind.compose(db, aboutId);
    if ("none" in mail) return { status: "NONE", reason: mail.none, retryAt: null, sentTo };
    const to = mail.recipients.filter((address) => !sentTo.includes(address));
    if (to.length === 0) return { status: "SENT", reason: null, retryAt: null, sentTo };
    const failed = (reason: CodedText, reached = sentTo): MailOutcome => {
      const retryAt = kind.retryTime(attempt, clock.now());
      return { status: retryAt === null ? "FAILED" : "PENDING", reason, retryAt, sentTo: reached };
    };
    // The last try has ended one server after another.
    if (attempt > 1 && kind.retryTime(attempt - 1, clock.now()) === null) {
      return failed(mailTexts.text("MAIL_SERVERS_STOPPED", {}));
    }
    try {
      const { accepted, rejected } = await mailer.send(await mail.write(to), stopping);
      const reached = [...sentTo, ...accepted];
      if (rejected.length === 0) return { status: "SENT", reason: null, retryAt: null, sentTo: reached };
      const each = rejected.map(({ address, reason }) => ({ address, reason }));
      return failed(mailTexts.text("RECIPIENTS_REJECTED", { rejected: each }), reached);
    } catch (error) {
      // Another server, or this one after its restart, sends it.
      if (stopping.aborted) return { status: "PENDING", reason: null, retryAt: clock.now(), sentTo };
      log.warn({ error, aboutId }, `failed to send ${kind.what}`);
      return failed(error instanceof MailRefused ? error.reason : mailTexts.text("MAIL_FAILED", {}));
    }
  }

  async #store(claim: MailClaim, kind: MailKind, outcome: MailOutcome): Promise<void> {
    const { db, clock } = this.#deps;
    const { status, reason, retryAt, sentTo } = outcome;
    await inTransaction(db, async (tx) => {
      const stored = await tx
        .updateTable("outgoing_mails")
        .set({ status, ...reasonColumns(reason), due_at: retryAt, sent_to: [...sentTo] })
        .where(queueOf([kind.kind]).isHeld(claim))
        .returning("id")
        .executeTakeFirst();
      // Another server has claimed it since.
      if (stored !== undefined) await kind.onOutcome(tx, claim.aboutId, outcome, clock.now());
    });
  }
}
