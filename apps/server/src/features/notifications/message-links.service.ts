import type { acknowledgeByLink, messageLink } from "@suncrew/contract/notifications/deliveries.ts";
import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import type { Executor } from "../../platform/database/database.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { conflict, HttpError } from "../../platform/http/http-error.ts";
import { acknowledgeAlerts } from "../alerts/public.ts";
import type { ErrorCode } from "@suncrew/contract/http/error-codes.ts";
import { type AuditActor, auditedChange } from "../audit/public.ts";
import {
  type Linked,
  readLinked,
  readTeamScopes,
  readToldAlerts,
  storeUnsubscribed,
} from "./message-links.repository.ts";
import { type LinkAction, type MessageLink, readToken } from "./message-links.ts";

type ToldAlert = Awaited<ReturnType<typeof readToldAlerts>>[number];

/** What the signed links of messages do, for people who are not signed in. */
export class MessageLinks {
  readonly #deps: Pick<Dependencies, "db" | "clock" | "settings">;

  constructor(deps: Pick<Dependencies, "db" | "clock" | "settings">) {
    this.#deps = deps;
  }

  /** Throws 400 for a link that is none, 410 for one that has expired or is of no use any more. */
  async read(token: string): Promise<ResponseOf<typeof messageLink>> {
    const { db } = this.#deps;
    const link = this.#linkOf(token);
    const linked = await openLinked(db, link);
    const alerts = link.action === "ACKNOWLEDGE" ? await visibleAlerts(db, linked, link) : [];
    return {
      action: link.action,
      told: linked.told,
      contact_point_name: linked.name,
      title: linked.title,
      expires_at: link.expiresAt.toISOString(),
      unsubscribed_at: linked.unsubscribed_at?.toISOString() ?? null,
      alerts: alerts.map((alert) => ({
        severity: alert.severity,
        text: alert.text,
        site_name: alert.site_name,
        robot_name: alert.robot_name,
        serial_number: alert.serial_number,
        raised_at: alert.raised_at.toISOString(),
        cleared_at: alert.cleared_at?.toISOString() ?? null,
        acknowledged_by: alert.acknowledged_by,
      })),
    };
  }

  /**
   * Acknowledges what is open of what the message told, in the name of whoever has the contact point. Throws like `read`,
   * and 409 where nothing is open and not acknowledged.
   */
  async acknowledge({ token, comment }: BodyOf<typeof acknowledgeByLink>): Promise<{ message: string }> {
    const { db, clock } = this.#deps;
    const at = clock.now();
    const link = this.#linkOf(token, "ACKNOWLEDGE");
    const actor = actorOf(await openLinked(db, link));
    const change = { actor, action: "ACKNOWLEDGE_BY_LINK", entity: "delivery", entityId: link.deliveryId, at };
    return auditedChange(db, change, async (tx, details) => {
      const alerts = await visibleAlerts(tx, await openLinked(tx, link), link);
      const open = alerts.filter(({ cleared_at }) => cleared_at === null);
      details.siteId = alerts[0]?.site_id ?? null;
      if (open.length === 0)
        throw conflict("ALERT_CLEARED", "All of it is over already: nothing is left to acknowledge.");
      const ids = open.map(({ id }) => id);
      const by = { ...actor, comment: comment ?? null };
      const rows = await acknowledgeAlerts(tx, ids, by, at);
      if (rows.length === 0) {
        const [first] = new Set(open.flatMap(({ acknowledged_by }) => acknowledged_by ?? []));
        throw conflict("ALERT_ACKNOWLEDGED", `${first ?? "Somebody"} has already acknowledged this.`);
      }
      details.rows = rows.map(({ id, site_id, robot_id, code, text }) => ({
        actor,
        action: "ACKNOWLEDGE_ALERT",
        entity: "alert",
        entityId: id,
        siteId: site_id,
        after: {
          robot_id,
          code,
          text,
          by: "link",
          delivery_id: link.deliveryId,
          ...(by.comment !== null && { comment: by.comment }),
        },
        at,
      }));
      return {
        message: rows.length === 1 ? "The alert was acknowledged." : `${rows.length} alerts were acknowledged.`,
      };
    });
  }

  /** Nothing more is sent to the contact point until somebody enables it again. Once is as good as twice. */
  async unsubscribe(token: string): Promise<{ message: string }> {
    const { db, clock } = this.#deps;
    const at = clock.now();
    const link = this.#linkOf(token, "UNSUBSCRIBE");
    const { contactPointId, deliveryId } = link;
    const actor = actorOf(await openLinked(db, link));
    const change = { actor, action: "UNSUBSCRIBE", entity: "contact_point", entityId: contactPointId, at };
    return auditedChange(db, change, async (tx, details) => {
      const linked = await openLinked(tx, link, true);
      const message = `Nothing more is sent to ${linked.name}. Whoever set it up can enable it again in Suncrew.`;
      if (linked.unsubscribed_at !== null) {
        details.rows = [];
        return { message };
      }
      details.siteId = linked.site_id;
      details.after = { by: "link", delivery_id: deliveryId };
      await storeUnsubscribed(tx, contactPointId, at);
      return { message };
    });
  }

  #linkOf(token: string, action?: LinkAction): MessageLink {
    const link = readToken(this.#deps.settings.secretKey, token);
    if (link === null || (action !== undefined && link.action !== action)) {
      throw new HttpError(
        400,
        "LINK_NOT_VALID",
        "It is not complete, or is none of this Suncrew. Open it from the message again.",
      );
    }
    if (link.expiresAt <= this.#deps.clock.now()) {
      const since =
        link.action === "ACKNOWLEDGE"
          ? "A message can be acknowledged by its link for 48 hours."
          : "It was sent long ago.";
      throw new HttpError(410, "LINK_EXPIRED", `${since} Sign in to Suncrew instead.`);
    }
    return link;
  }
}

const gone = (code: ErrorCode, message: string) => new HttpError(410, code, message);

async function openLinked(db: Executor, link: MessageLink, lock = false): Promise<Linked> {
  const linked = await readLinked(db, link, lock);
  if (linked === null) throw gone("LINK_MESSAGE_GONE", "Suncrew does not have this message any more.");
  if (linked.deleted_at !== null || linked.owner_deleted) {
    const message = "The contact point that this message was sent to was deleted. Nothing is sent there any more.";
    throw gone("LINK_CONTACT_POINT_DELETED", message);
  }
  return linked;
}

/** What the contact point's owner may see now of what the message told. */
async function visibleAlerts(db: Executor, linked: Linked, { deliveryId }: MessageLink): Promise<ToldAlert[]> {
  const told = await readToldAlerts(db, deliveryId);
  const sees = await sightOf(db, linked);
  const visible = told.filter(sees);
  if (told.length > 0 && visible.length === 0) {
    if (told.every(({ site_deleted }) => site_deleted)) {
      throw gone("LINK_SITE_DELETED", "The site that this message was about was deleted, and its alerts are over.");
    }
    throw gone("LINK_SITE_NOT_VISIBLE", "Whoever this message was sent to may not see that site any more.");
  }
  return visible;
}

async function sightOf(db: Executor, linked: Linked): Promise<(alert: ToldAlert) => boolean> {
  const { owner_kind: kind, role, user_partner_id, partner_id, site_id, team_id } = linked;
  if (kind === "SITE") return (alert) => alert.site_id === site_id && !alert.site_deleted;
  const scopes =
    kind === "PARTNER"
      ? [{ role: "PARTNER" as const, partnerId: partner_id }]
      : kind === "TEAM"
        ? await readTeamScopes(db, team_id ?? 0)
        : role === null
          ? []
          : [{ role, partnerId: user_partner_id }];
  return (alert) => {
    if (alert.site_id !== null && alert.site_deleted) return false;
    return scopes.some(
      (scope) =>
        scope.role === "SUPER_ADMIN" ||
        (alert.site_id !== null && scope.partnerId !== null && scope.partnerId === alert.maintenance_partner_id),
    );
  };
}

/** A person by name; others as the message called them. */
const actorOf = ({ user_id, user_name, told }: Linked): AuditActor => ({ userId: user_id, name: user_name ?? told });
