import {
  contactPointList,
  createContactPoint,
  deleteContactPoint,
  notificationOptions,
  replaceSigningSecret,
  testContactPoint,
  updateContactPoint,
} from "@suncrew/contract/notifications/contact-points.ts";
import {
  createNotificationRule,
  createRota,
  createSubscription,
  createTeam,
  deleteNotificationRule,
  deleteRota,
  deleteSubscription,
  deleteTeam,
  notificationRules,
  rotaList,
  subscriptionList,
  teamList,
  updateNotificationRule,
  updateRota,
  updateSubscription,
  updateTeam,
} from "@suncrew/contract/notifications/notification-rules.ts";
import { createMute, endMute, muteList } from "@suncrew/contract/notifications/mutes.ts";
import type { FastifyInstance } from "fastify";
import type { Dependencies } from "../../platform/dependencies.ts";
import { register } from "../../platform/http/register.ts";
import { ContactPoints } from "./contact-points.service.ts";
import { Mutes } from "./mutes.service.ts";
import { NotificationRules } from "./rules.service.ts";
import { Teams } from "./teams.service.ts";
import { TestMessages } from "./test-messages.ts";

export function notificationRoutes(app: FastifyInstance, deps: Dependencies): void {
  const contacts = new ContactPoints(deps);
  register(app, contactPointList, ({ viewer, query }) => contacts.list(viewer, query));
  register(app, createContactPoint, ({ viewer, body }) => contacts.create(viewer, body));
  register(app, updateContactPoint, ({ viewer, params, body }) => contacts.update(viewer, params.contactPointId, body));
  register(app, deleteContactPoint, ({ viewer, params }) => contacts.delete(viewer, params.contactPointId));
  register(app, replaceSigningSecret, ({ viewer, params }) =>
    contacts.replaceSigningSecret(viewer, params.contactPointId),
  );
  const tests = new TestMessages(deps);
  register(app, testContactPoint, ({ viewer, params }) => tests.send(viewer, params.contactPointId));
  register(app, notificationOptions, ({ viewer }) => contacts.options(viewer));

  const rules = new NotificationRules(deps);
  register(app, notificationRules, () => rules.list());
  register(app, createNotificationRule, ({ viewer, body }) => rules.create(viewer, body));
  register(app, updateNotificationRule, ({ viewer, params, body }) => rules.update(viewer, params.ruleId, body));
  register(app, deleteNotificationRule, ({ viewer, params }) => rules.delete(viewer, params.ruleId));
  register(app, subscriptionList, ({ viewer }) => rules.subscriptions(viewer));
  register(app, createSubscription, ({ viewer, body }) => rules.subscribe(viewer, body));
  register(app, updateSubscription, ({ viewer, params, body }) =>
    rules.updateSubscription(viewer, params.subscriptionId, body),
  );
  register(app, deleteSubscription, ({ viewer, params }) => rules.unsubscribe(viewer, params.subscriptionId));

  const teams = new Teams(deps);
  register(app, teamList, () => teams.teams());
  register(app, createTeam, ({ viewer, body }) => teams.createTeam(viewer, body));
  register(app, updateTeam, ({ viewer, params, body }) => teams.updateTeam(viewer, params.teamId, body));
  register(app, deleteTeam, ({ viewer, params }) => teams.deleteTeam(viewer, params.teamId));
  register(app, rotaList, () => teams.rotas());
  register(app, createRota, ({ viewer, body }) => teams.createRota(viewer, body));
  register(app, updateRota, ({ viewer, params, body }) => teams.updateRota(viewer, params.rotaId, body));
  register(app, deleteRota, ({ viewer, params }) => teams.deleteRota(viewer, params.rotaId));

  const mutes = new Mutes(deps);
  register(app, muteList, ({ viewer, query }) => mutes.list(viewer, query.site_id));
  register(app, createMute, ({ viewer, body }) => mutes.create(viewer, body));
  register(app, endMute, ({ viewer, params }) => mutes.end(viewer, params.muteId));
}
