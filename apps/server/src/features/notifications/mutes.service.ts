import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import type { createMute, Mute } from "@suncrew/contract/notifications/mutes.ts";
import { muteUntilProblem } from "@suncrew/domain/notifications/mutes.ts";
import { announceChange } from "../../platform/change-signal.ts";
import { changedNow } from "../../platform/database/database.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { invalid, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { auditedChange } from "../audit/public.ts";
import { requireSite } from "../sites/public.ts";
import { lockMute, lockMutedPlace, readMutes } from "./mutes.queries.ts";

/** Silences a site or a robot until a time; whoever may act on the site may end it. */
export class Mutes {
  readonly #deps: Pick<Dependencies, "db" | "clock">;

  constructor(deps: Pick<Dependencies, "db" | "clock">) {
    this.#deps = deps;
  }

  /** Throws 404 for a site that the viewer does not see. */
  async list(viewer: Viewer, siteId?: number): Promise<Mute[]> {
    const { db, clock } = this.#deps;
    if (siteId !== undefined) await requireSite(viewer, db, siteId);
    return readMutes(viewer, db, clock.now(), siteId);
  }

  /** Replaces a mute of the same. Throws 404, and 400 for a time that is over or too far ahead. */
  async create(viewer: Viewer, body: BodyOf<typeof createMute>): Promise<ResponseOf<typeof createMute>> {
    const at = this.#deps.clock.now();
    const until = new Date(body.until);
    const { site_id, robot_id, reason } = body;
    const change = { actor: viewer, action: "MUTE", ...entityOf(body), siteId: site_id, at };
    return auditedChange(this.#deps.db, change, async (tx, details) => {
      const { siteName, robotName } = await lockMutedPlace(viewer, tx, site_id, robot_id);
      details.after = { until, reason };
      const problem = muteUntilProblem(until, at);
      if (problem !== null) throw invalid("until", problem);
      const [former] = await tx
        .updateTable("mutes")
        .set({ ended_at: at, change_no: changedNow })
        .where("site_id", "=", site_id)
        .where("robot_id", robot_id === undefined ? "is" : "=", robot_id ?? null)
        .where("ended_at", "is", null)
        .returning(["until", "reason"])
        .execute();
      if (former !== undefined && former.until > at) details.before = former;
      const { id } = await tx
        .insertInto("mutes")
        .values({
          site_id,
          robot_id: robot_id ?? null,
          until,
          reason,
          user_id: viewer.userId,
          muted_by: viewer.name,
          muted_at: at,
        })
        .returning("id")
        .executeTakeFirstOrThrow();
      await announceChange(tx);
      return { message: `${robotName ?? siteName} is muted.`, muteId: id };
    });
  }

  /** Throws 404 for one that is over, or at a site that the viewer does not see. */
  async end(viewer: Viewer, muteId: number): Promise<{ message: string }> {
    const at = this.#deps.clock.now();
    const change = { actor: viewer, action: "END_MUTE", entity: "mute", at };
    return auditedChange(this.#deps.db, change, async (tx, details) => {
      const mute = await lockMute(viewer, tx, at, muteId);
      if (mute === null) throw notFound("Mute");
      const { site_id, robot_id, site_name, robot_name, until, reason } = mute;
      details.rows = [
        {
          ...change,
          ...entityOf({ site_id, robot_id: robot_id ?? undefined }),
          siteId: site_id,
          before: { until, reason },
        },
      ];
      await tx.updateTable("mutes").set({ ended_at: at, change_no: changedNow }).where("id", "=", muteId).execute();
      await announceChange(tx);
      return { message: `${robot_name ?? site_name} is no longer muted.` };
    });
  }
}

/** The audit shows mutes with the site or robot that they are about. */
function entityOf({ site_id, robot_id }: { readonly site_id: number; readonly robot_id?: number | undefined }) {
  return robot_id === undefined ? { entity: "site", entityId: site_id } : { entity: "robot", entityId: robot_id };
}
