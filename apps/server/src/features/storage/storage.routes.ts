import { storage } from "@suncrew/contract/storage/storage.ts";
import type { FastifyInstance } from "fastify";
import { register } from "../../platform/http/register.ts";
import type { StorageReport } from "./storage.service.ts";

export function storageRoutes(app: FastifyInstance, report: StorageReport): void {
  register(app, storage, () => report.read());
}
