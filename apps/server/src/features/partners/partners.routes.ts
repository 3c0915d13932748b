import { partnerDetails } from "@suncrew/contract/partners/partners.ts";
import type { FastifyInstance } from "fastify";
import { register } from "../../platform/http/register.ts";
import type { Parts } from "../../platform/parts.ts";
import { readPartners } from "./visible-partners.ts";

export function partnersRoutes(app: FastifyInstance, parts: Parts): void {
  register(app, partnerDetails, ({ viewer }) => readPartners(viewer, parts.db));
}
