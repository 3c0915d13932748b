import {
  createPartner,
  deletePartner,
  partnerDetails,
  resetPartnerPassword,
  updatePartner,
} from "@suncrew/contract/partners/partners.ts";
import type { FastifyInstance } from "fastify";
import { register } from "../../platform/http/register.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { PartnersService } from "./partners.service.ts";
import { readPartners } from "./visible-partners.ts";

export function partnersRoutes(app: FastifyInstance, deps: Dependencies): void {
  const partners = new PartnersService(deps);
  register(app, partnerDetails, ({ viewer }) =>
    readPartners(viewer, deps.db, (userId, sealed) => partners.readPassword(userId, sealed)),
  );
  register(app, createPartner, ({ viewer, body }) => partners.create(viewer, body));
  register(app, updatePartner, ({ viewer, params, body }) => partners.update(viewer, params.id, body));
  register(app, deletePartner, ({ viewer, params }) => partners.delete(viewer, params.id));
  register(app, resetPartnerPassword, ({ viewer, params }) => partners.resetPassword(viewer, params.id));
}
