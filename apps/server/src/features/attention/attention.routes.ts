import {
  acknowledgeAttention,
  ATTENTION_LIMIT,
  attentionList,
  undoAcknowledgement,
} from "@suncrew/contract/attention/attention.ts";
import { countAttention } from "@suncrew/domain/attention/attention.ts";
import type { FastifyInstance } from "fastify";
import type { Dependencies } from "../../platform/dependencies.ts";
import { register } from "../../platform/http/register.ts";
import { seenAt } from "../sites/public.ts";
import { Attention } from "./attention.service.ts";

export function attentionRoutes(app: FastifyInstance, deps: Dependencies): void {
  const attention = new Attention(deps.db);

  register(app, attentionList, async ({ viewer }) => {
    const ranked = await attention.list(viewer, seenAt(deps));
    // A wallboard is for anybody's eyes: who did or is dealing with something, and what they write about it, is not.
    const items = ranked
      .slice(0, ATTENTION_LIMIT)
      .map(({ item, publicCause }) =>
        viewer.isWallboard === true ? { ...item, cause: publicCause, acknowledged_by: null, comment: null } : item,
      );
    return { items, ...countAttention(ranked) };
  });

  register(app, acknowledgeAttention, ({ viewer, params, body }) =>
    attention.acknowledge(viewer, { key: params.itemId, at: seenAt(deps), comment: body.comment }),
  );

  register(app, undoAcknowledgement, ({ viewer, params }) =>
    attention.unacknowledge(viewer, { key: params.itemId, at: seenAt(deps) }),
  );
}
