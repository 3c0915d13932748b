import { attentionOf, type RankedItem } from "@suncrew/domain/attention/attention.ts";
import type { Db, Executor, Tx } from "../../platform/database/database.ts";
import { notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { acknowledge, unacknowledge } from "../alerts/public.ts";
import { auditedChange, type ChangeDetails } from "../audit/public.ts";
import type { SeenAt } from "../sites/public.ts";
import { type Drains, readAttentionFacts } from "./attention.queries.ts";
import { readDrains, storeAcknowledgement, undoAcknowledgement } from "./attention.repository.ts";

interface ItemRequest {
  readonly key: string;
  readonly at: SeenAt;
}

interface ItemChange {
  readonly action: string;
  readonly ofAlert: (alertId: string) => Promise<{ message: string }>;
  readonly ofItem: (
    tx: Tx,
    details: ChangeDetails,
    item: RankedItem & { readonly siteId: number },
  ) => Promise<{ message: string }>;
}

/** What robots drain changes over weeks, and takes a third of a second to compute for ten thousand of them. */
const DRAINS_KEPT_MS = 15 * 60_000;

/** What needs a person, from the rows of this moment and from what each battery drains, which is learned now and then. */
export class Attention {
  readonly #db: Db;
  #drains: { readonly untilMs: number; readonly learned: Promise<Drains> } | null = null;

  constructor(db: Db) {
    this.#db = db;
  }

  /** All of the viewer's sites, in order. */
  async list(viewer: Viewer, at: SeenAt, db: Executor = this.#db): Promise<RankedItem[]> {
    return attentionOf(await readAttentionFacts(viewer, db, at, await this.#learned(at.now)), at.now);
  }

  #learned(now: Date): Promise<Drains> {
    if (this.#drains !== null && now.getTime() < this.#drains.untilMs) return this.#drains.learned;
    const learned = readDrains(this.#db, now);
    this.#drains = { untilMs: now.getTime() + DRAINS_KEPT_MS, learned };
    // A failure is not kept.
    learned.catch(() => {
      this.#drains = null;
    });
    return learned;
  }

  /**
   * Acknowledges an item of the viewer's list: its alerts, or else the item itself. Throws 404 if it is not on the list,
   * and 409 where its alert is over.
   */
  acknowledge(
    viewer: Viewer,
    { comment, ...request }: ItemRequest & { readonly comment: string | null },
  ): Promise<{ message: string }> {
    const { key, at } = request;
    return this.#change(viewer, request, {
      action: "ACKNOWLEDGE_ATTENTION",
      ofAlert: (alertId) => acknowledge(this.#db, viewer, alertId, at.now, comment),
      async ofItem(tx, details, { item, robotIds, siteId }) {
        if (item.acknowledged_by !== null) {
          details.rows = [];
          return { message: `${item.acknowledged_by} has already acknowledged this.` };
        }
        details.after = { cause: item.cause, robot_ids: robotIds, comment };
        await storeAcknowledgement(tx, { key, siteId, robotIds, by: viewer, comment }, at.now);
        return { message: "Acknowledged." };
      },
    });
  }

  /** Takes an acknowledgement back, whoever made it. Throws like `acknowledge`. */
  unacknowledge(viewer: Viewer, request: ItemRequest): Promise<{ message: string }> {
    return this.#change(viewer, request, {
      action: "UNDO_ACKNOWLEDGE_ATTENTION",
      ofAlert: (alertId) => unacknowledge(this.#db, viewer, alertId, request.at.now),
      async ofItem(tx, details, { item, robotIds }) {
        const { cause, acknowledged_by, comment } = item;
        details.before = { cause, robot_ids: robotIds, acknowledged_by, comment };
        if (acknowledged_by === null) return { message: "Nobody has acknowledged this." };
        await undoAcknowledgement(tx, request.key, request.at.now);
        return { message: "The acknowledgement was undone." };
      },
    });
  }

  async #change(
    viewer: Viewer,
    { key, at }: ItemRequest,
    { action, ofAlert, ofItem }: ItemChange,
  ): Promise<{ message: string }> {
    if (/^\d+$/.test(key)) return ofAlert(key);
    let answer: { message: string } | null = null;
    for (const alertId of (await this.#find(viewer, key, at))?.alertIds ?? []) answer = await ofAlert(alertId);
    if (answer !== null) return answer;
    const change = { actor: viewer, action, entity: "attention", entityId: key, at: at.now };
    return auditedChange(this.#db, change, async (tx, details) => {
      const ranked = await this.#find(viewer, key, at, tx);
      const siteId = ranked?.item.site_id ?? null;
      if (ranked === undefined || siteId === null) throw notFound("Attention item");
      details.siteId = siteId;
      return ofItem(tx, details, { ...ranked, siteId });
    });
  }

  async #find(viewer: Viewer, key: string, at: SeenAt, db?: Executor): Promise<RankedItem | undefined> {
    return (await this.list(viewer, at, db)).find(({ item }) => item.key === key);
  }
}
