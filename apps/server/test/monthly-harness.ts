import pino from "pino";
import {
  type GeneratedReport,
  MonthlyReports,
  reportMails,
  type ReportOrder,
} from "../src/features/monthly-reports/monthly-reports.ts";
import { ManualClock } from "../src/platform/clock.ts";
import type { Db, OpenDatabase } from "../src/platform/database/database.ts";
import { MailOutbox } from "../src/platform/mail-outbox.ts";
import type { Mail, MailResult } from "../src/platform/mailer.ts";
import { addSite } from "./fixtures.ts";
import { createTestDatabase } from "./test-database.ts";

/** Every site existed before the month of the first report. */
const LONG_AGO = new Date("2026-08-10T00:00:00Z");

/** Servers that generate monthly reports over one database, with time, generation and mail controlled by the test. */
export class MonthlyHarness {
  readonly clock = new ManualClock(new Date("2026-10-15T12:00:00Z"));
  /** By any server. */
  readonly ordered: ReportOrder[] = [];
  /** By any server, whether or not it arrived. */
  readonly sent: Mail[] = [];
  generate = async ({ siteId, siteName }: ReportOrder): Promise<GeneratedReport> => {
    const site = this.db.selectFrom("sites").select("maintenance_partner_id as partnerId").where("id", "=", siteId);
    return { kind: "made", pdf: Buffer.from(`%PDF ${siteName}`), ...(await site.executeTakeFirstOrThrow()) };
  };
  send = async ({ to }: Mail, _signal: AbortSignal): Promise<MailResult> => ({ accepted: to, rejected: [] });
  readonly #database: OpenDatabase;

  private constructor(database: OpenDatabase) {
    this.#database = database;
  }

  static async open(): Promise<MonthlyHarness> {
    return new MonthlyHarness(await createTestDatabase());
  }

  get db(): Db {
    return this.#database.db;
  }

  /** One of several servers; it generates, and then sends, when the test calls `runDue`. */
  server({ canSend = true } = {}): { runOnce(): Promise<void>; stop(): Promise<void> } {
    const mailer = {
      send: async (mail: Mail, signal: AbortSignal) => {
        this.sent.push(mail);
        return this.send(mail, signal);
      },
    };
    const deps = {
      db: this.db,
      clock: this.clock,
      log: pino({ level: "silent" }),
      ...(canSend && { mailer }),
    };
    const reports = new MonthlyReports({
      ...deps,
      generate: async (order) => {
        this.ordered.push(order);
        return this.generate(order);
      },
    });
    const outbox = new MailOutbox(deps, [reportMails]);
    return {
      async runOnce() {
        await reports.runOnce();
        await outbox.runOnce();
      },
      async stop() {
        await Promise.all([reports.stop(), outbox.stop()]);
      },
    };
  }

  /** Disabled if `since` is null. */
  async settings(set: {
    readonly since?: Date | null;
    readonly recipients?: string[];
    readonly toPartners?: boolean;
    readonly templateId?: number;
  }): Promise<void> {
    const { since = LONG_AGO, recipients = [], toPartners = false, templateId = null } = set;
    await this.db
      .updateTable("report_settings")
      .set({
        auto_generate_monthly: since !== null,
        auto_since: since,
        email_notifications: recipients.length > 0 || toPartners,
        recipients,
        send_to_partners: toPartners,
        template_id: templateId,
      })
      .execute();
  }

  async site(name: string, timezone = "Asia/Kolkata", partnerId: number | null = null): Promise<number> {
    const id = await addSite(this.db, name, partnerId);
    await this.db.updateTable("sites").set({ timezone, created_at: LONG_AGO }).where("id", "=", id).execute();
    return id;
  }

  until(at: string | Date): void {
    this.clock.advance(new Date(at).getTime() - this.clock.now().getTime());
  }

  reports() {
    return this.db.selectFrom("kept_reports").selectAll().orderBy("id").execute();
  }

  async summaries(): Promise<string[]> {
    return (await this.reports()).map(({ site_id, month, status }) => `${site_id} ${month} ${status}`);
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}
