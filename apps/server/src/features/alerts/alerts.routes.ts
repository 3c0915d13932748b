import { acknowledgeAlert, alertList, ALERTS_DEFAULT_LIMIT } from "@suncrew/contract/alerts/alerts.ts";
import type { FastifyInstance } from "fastify";
import { register } from "../../platform/http/register.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { acknowledge } from "./alerts.service.ts";
import { countAlerts, countOpen, readAlerts, requireFilterInScope } from "./alerts.queries.ts";

export function alertsRoutes(app: FastifyInstance, { db, clock }: Dependencies): void {
  register(app, alertList, async ({ viewer, query }) => {
    const limit = query.limit ?? ALERTS_DEFAULT_LIMIT;
    await requireFilterInScope(viewer, db, query);
    const found = await readAlerts(viewer, db, { ...query, limit: limit + 1 });
    const page = found.slice(0, limit);
    return {
      alerts: page.map(({ alert }) => alert),
      ...(await countAlerts(viewer, db, query)),
      open: await countOpen(viewer, db, query),
      next_cursor: found.length > limit ? (page.at(-1)?.cursor ?? null) : null,
    };
  });

  register(app, acknowledgeAlert, ({ viewer, params }) => acknowledge(db, viewer, params.alertId, clock.now()));
}
