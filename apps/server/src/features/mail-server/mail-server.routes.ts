import {
  deleteMailServer,
  mailServer,
  testMailServer,
  updateMailServer,
} from "@suncrew/contract/reports/mail-server.ts";
import type { FastifyInstance } from "fastify";
import type { Dependencies } from "../../platform/dependencies.ts";
import { register } from "../../platform/http/register.ts";
import type { SmtpSettings } from "../../platform/mailer.ts";
import { MailServer } from "./mail-server.service.ts";

export function mailServerRoutes(app: FastifyInstance, deps: Dependencies, fallback?: SmtpSettings): void {
  const server = new MailServer(deps, fallback);
  register(app, mailServer, () => server.read());
  register(app, updateMailServer, ({ viewer, body }) => server.update(viewer, body));
  register(app, deleteMailServer, ({ viewer }) => server.delete(viewer));
  register(app, testMailServer, ({ viewer, body }) => server.test(viewer, body));
}
