import type { NotificationRule } from "@suncrew/contract/notifications/notification-rules.ts";
import type { Message } from "@suncrew/domain/notifications/message.ts";
import { type Insertable, sql } from "kysely";
import pino from "pino";
import { delivered, type SendOutcome } from "../src/features/notifications/channels/channel.ts";
import { DeliveryRunner } from "../src/features/notifications/delivery-runner.ts";
import { Notifier } from "../src/features/notifications/notifier.ts";
import { RegularMessages } from "../src/features/notifications/regular-messages.ts";
import { ManualClock } from "../src/platform/clock.ts";
import { changedNow, type Db, type OpenDatabase } from "../src/platform/database/database.ts";
import type { Tables } from "../src/platform/database/tables.ts";
import type { Fixtures } from "./fixtures.ts";
import { createSeededDatabase } from "./test-database.ts";

const MINUTE_MS = 60_000;

/** What a contact point got. */
export interface ReceivedMessage {
  readonly to: string;
  readonly message: Message;
}

export type Send = (
  to: { readonly name: string },
  message: Message,
  signal: AbortSignal,
) => Promise<SendOutcome | null>;

/** Servers that tell people over one database, with time and what services answer controlled by the test. */
export class NotificationHarness {
  /** 12:00 on Monday, 15 June 2026, at every site of the fixtures. */
  readonly clock = new ManualClock(new Date("2026-06-15T06:30:00.000Z"));
  readonly received: ReceivedMessage[] = [];
  readonly fixtures: Fixtures;
  answer: Send = async () => delivered();
  readonly #database: OpenDatabase;
  readonly #server: ReturnType<NotificationHarness["server"]>;

  private constructor(database: OpenDatabase, fixtures: Fixtures) {
    this.#database = database;
    this.fixtures = fixtures;
    this.#server = this.server();
  }

  static async open(): Promise<NotificationHarness> {
    const { database, fixtures } = await createSeededDatabase();
    return new NotificationHarness(database, fixtures);
  }

  get db(): Db {
    return this.#database.db;
  }

  /** One of several servers; it works when the test calls it. */
  server() {
    const settings = { publicUrl: () => "https://suncrew.example" };
    const deps = { db: this.db, clock: this.clock, log: pino({ level: "silent" }), settings };
    const runner = new DeliveryRunner({
      ...deps,
      send: async (to, message, signal) => {
        this.received.push({ to: to.name, message });
        return this.answer(to, message, signal);
      },
    });
    const notifier = new Notifier(deps);
    return { notifier, runner, regular: new RegularMessages(deps) };
  }

  /** One round of the notifier, and everything that is due is sent. */
  async round(): Promise<void> {
    await this.#server.regular.runOnce();
    await this.#server.notifier.runOnce();
    await this.#server.runner.runOnce();
  }

  /** Rounds every 30 seconds for so long. */
  async pass(minutes: number): Promise<void> {
    for (let half = 0; half < minutes * 2; half += 1) {
      this.clock.advance(MINUTE_MS / 2);
      await this.round();
    }
  }

  /** What was received since the last call: who, and the titles. */
  news(): string[] {
    return this.received.splice(0).map(({ to, message }) => `${to}: ${message.title}`);
  }

  /** Who received something since the last call. */
  reached(): string[] {
    return this.received
      .splice(0)
      .map(({ to }) => to)
      .toSorted();
  }

  async contact(name: string, more: Partial<Insertable<Tables["contact_points"]>> = {}): Promise<number> {
    const isOwned = [more.user_id, more.partner_id, more.site_id, more.team_id].some((id) => id !== undefined);
    const { id } = await this.db
      .insertInto("contact_points")
      .values({
        name,
        owner_kind: "PERSON",
        ...(!isOwned && { user_id: this.fixtures.userIds.admin }),
        channel: "SLACK",
        address: "hooks.slack.example",
        timezone: "Asia/Kolkata",
        created_at: this.clock.now(),
        ...more,
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    return id;
  }

  /** A rule about everything that tells at once and never again, except as `more` says. */
  async rule(
    steps: NotificationRule["steps"] | number,
    more: Partial<Omit<NotificationRule, "id" | "steps">> & { readonly userId?: number } = {},
  ): Promise<number> {
    const { userId = null, filter, ...fields } = more;
    const all = { kinds: [], severities: [], site_ids: [], states: [], partner_ids: [] };
    const told =
      typeof steps === "number" ? [{ after_minutes: 0, to: [{ kind: "CONTACT_POINT" as const, id: steps }] }] : steps;
    const { wait_seconds = 0, repeat_minutes = null, tells_cleared = true, enabled = true, name = "All" } = fields;
    const { id } = await this.db
      .insertInto("notification_rules")
      .values({
        user_id: userId,
        name,
        enabled,
        wait_seconds,
        repeat_minutes,
        tells_cleared,
        filter: JSON.stringify({ ...all, ...filter }),
        steps: JSON.stringify(told),
        created_at: this.clock.now(),
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    return id;
  }

  async alert(more: Partial<Insertable<Tables["alerts"]>> = {}): Promise<number> {
    const { id: robot_id, siteId: site_id } = this.fixtures.ownRobot;
    const { id } = await this.db
      .insertInto("alerts")
      .values({
        robot_id,
        site_id,
        source: "ROBOT",
        severity: "WARNING",
        code: "DUST",
        text: "Dusty.",
        raised_at: this.clock.now(),
        ...more,
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    return id;
  }

  async change(alertId: number, to: Partial<Insertable<Tables["alerts"]>>): Promise<void> {
    await this.db
      .updateTable("alerts")
      .set({ ...to, change_no: changedNow })
      .where("id", "=", sql<number>`${alertId}::bigint`)
      .execute();
  }

  clear(alertId: number): Promise<void> {
    return this.change(alertId, { cleared_at: this.clock.now() });
  }

  acknowledge(alertId: number): Promise<void> {
    return this.change(alertId, { acknowledged_at: this.clock.now(), acknowledged_by: "Anita Rao" });
  }

  deliveries() {
    return this.db.selectFrom("deliveries").selectAll().orderBy("created_at").orderBy("id").execute();
  }

  /** Status and reason of each, in the order of creation. */
  async outcomes(): Promise<string[]> {
    return (await this.deliveries()).map(({ status, reason_code }) => [status, reason_code].filter(Boolean).join(" "));
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}
