import type { RouteSpec } from "@suncrew/contract/http/route.ts";
import type { RouteName } from "@suncrew/contract/routes.ts";
import { seededFirmware, seededOfferSignature } from "./firmware-fixtures.ts";
import { openAlertIds } from "./alert-fixtures.ts";
import { type Fixtures, FREE_SERIAL, PASSWORD, usernames } from "./fixtures.ts";
import type { GroupSeed } from "./group-fixtures.ts";
import { monthlyReportId } from "./monthly-report-fixtures.ts";
import { messageTokenOf, notificationIds } from "./notification-fixtures.ts";
import { sampleLogo } from "./sample-logo.ts";
import { testSettings } from "./test-app.ts";
import { wallboardLinkIds, wallboardTokenOf } from "./wallboard-fixtures.ts";

/**
 * A place in a call that refers to something; it is filled with the own, a foreign, a nonexistent and a malformed
 * value.
 */
export type Place =
  | "site"
  | "robot"
  | "serial"
  | "group"
  | "schedule"
  | "partner"
  | "device"
  | "template"
  | "report"
  | "firmware"
  | "rollout"
  | "alert"
  | "admin"
  | "wallboard link"
  | "contact point"
  | "subscription"
  | "mute"
  | "delivery"
  | "rule"
  | "webhook"
  | "event delivery"
  | "team"
  | "rota";

export class Id {
  readonly place: Place;
  constructor(place: Place) {
    this.place = place;
  }
}

export type Part = Readonly<Record<string, unknown>>;

export interface SampleCall {
  readonly params?: Part;
  readonly query?: Part;
  readonly body?: Part;
  /** The status of a call about robots that are all offline, if not 504. */
  readonly status?: number;
  /** The groups before the call: "free": no robot is in one, "unplanned": none has a schedule. */
  readonly groups?: GroupSeed;
  /** True if firmware and a rollout exist before the call. */
  readonly firmware?: true;
  /** The file that the call uploads. */
  readonly file?: Buffer;
  /** True if each partner has an alert before the call. */
  readonly alerts?: true;
  /** True if there are links to wallboards before the call. */
  readonly wallboards?: true;
  /** True if there are contact points, rules, teams, rotas and mutes before the call. */
  readonly notifications?: true;
  /** True if the call is about what one person has alone: not even a Super Admin sees somebody else's. */
  readonly personal?: true;
  /** True if the call changes or deletes sites, robots, partners, devices or sessions: they are restored around it. */
  readonly changes?: true;
  /** True if a user who sees all tenants may mix them in one call. */
  readonly mixes?: true;
}

const site = new Id("site");
const robot = new Id("robot");
const serial = new Id("serial");
const group = new Id("group");
const schedule = new Id("schedule");
const partner = new Id("partner");
const device = new Id("device");
const template = new Id("template");
const report = new Id("report");
const firmware = new Id("firmware");
const rollout = new Id("rollout");
const alert = new Id("alert");
const admin = new Id("admin");
const wallboardLink = new Id("wallboard link");
const contactPoint = new Id("contact point");
const subscription = new Id("subscription");
const mute = new Id("mute");
const delivery = new Id("delivery");
const rule = new Id("rule");
const webhook = new Id("webhook");
const eventDelivery = new Id("event delivery");
const team = new Id("team");
const rota = new Id("rota");
const siteForm = {
  name: "Sample Park",
  address: "Sample Road 1",
  district: "Jodhpur",
  state: "Rajasthan",
  pin_code: "342301",
  commissioning_date: "2023-03-31",
  latitude: 12.5,
  longitude: "77.25",
};
const robotForm = { robot_name: "Sample", installation_date: "2024-02-29", motor_type: "BLDC", control_type: "PLC" };
const partnerForm = {
  name: "Sample Services",
  contact_person: "Sam Pell",
  contact_info: "+91 98 1111 1111",
  email: "sam@sample.example",
  address: "Sample Road 2",
  city: "Jodhpur",
  state: "Rajasthan",
  zip_code: "342001",
};
const templateForm = {
  name: "Sample Report",
  description: "",
  sections: [{ type: "alerts", enabled: true, order: 1, fields: [{ name: "critical_alerts", enabled: true }] }],
};
const quietTimes = {
  timezone: "Asia/Kolkata",
  quiet_from: "22:00",
  quiet_to: "05:30",
  days_off: [7],
  critical_pierces: true,
};
const contactForm = {
  name: "Desk",
  channel: "WEBHOOK",
  url: "https://events.example/suncrew/key",
  ...quietTimes,
  enabled: true,
};
const telling = {
  name: "Critical alerts",
  filter: { kinds: [], severities: ["CRITICAL"], site_ids: [], states: [], partner_ids: [] },
  enabled: true,
  wait_seconds: 60,
  repeat_minutes: 30,
  tells_cleared: true,
};
const webhookForm = {
  name: "Fleet archive",
  url: "https://hooks.example/suncrew",
  event_types: ["alert.raised"],
  site_ids: [],
  partner_ids: [],
  enabled: true,
};
const ruleForm = { ...telling, steps: [{ after_minutes: 0, to: [{ kind: "PARTNER" }] }] };
const rotaForm = {
  name: "Weekends",
  timezone: "Asia/Kolkata",
  starts_on: "2026-06-01",
  handover_at: "08:00",
  weeks: 1,
};
/** Contains the tests' current time. */
const june = { site_name: "Sample Park", from: "2026-06-01 00:00:00", to: "2026-06-30 23:59:59" };
const plan = { start_time: "2099-01-31 06:30:00", duration_minutes: 30, frequency: "MONTHLY" };

/** A valid call of every route, with the places of ids marked. A new route needs an entry here. */
export const sampleCalls: Readonly<Record<RouteName, SampleCall>> = {
  login: { body: { username: usernames.admin, password: PASSWORD } },
  logout: {},
  changePassword: { body: { currentPassword: PASSWORD, newPassword: `${PASSWORD} anew` }, changes: true },
  siteDetails: {},
  createSite: { body: siteForm, changes: true },
  updateSite: { params: { id: site }, body: siteForm, changes: true },
  deleteSite: { params: { id: site }, groups: "planned", changes: true },
  exportSites: {},
  importSites: { body: { csv: "name\nPark\n" } },
  createRobot: { body: { site_id: site, serial_number: FREE_SERIAL, ...robotForm }, changes: true },
  createRobots: {
    body: { site_id: site, serial_numbers: [FREE_SERIAL], installation_date: robotForm.installation_date },
    changes: true,
  },
  updateRobot: {
    params: { id: robot },
    body: { site_id: site, serial_number: FREE_SERIAL, ...robotForm },
    groups: "free",
    changes: true,
    mixes: true,
  },
  forgetRobotState: { params: { id: robot }, changes: true },
  deleteRobot: { params: { id: robot }, groups: "free", changes: true },
  robotTypes: {},
  serialNumbers: {},
  robotBySerial: { params: { robotSerial: serial } },
  robotHistory: { params: { robotId: robot }, query: { span: "7d", at: "2026-06-14T20:00:00.000Z" } },
  robotNights: { params: { robotId: robot } },
  siteNights: { params: { siteId: site } },
  robotOrders: { params: { robotId: robot } },
  robotChanges: { params: { robotId: robot } },
  exportRobots: {},
  importRobots: { body: { csv: "serial_number\nNONE-1\n" } },
  robotDetailsWithSettings: { params: { siteId: site } },
  robotsList: { params: { siteId: site } },
  robotDirectory: {},
  updateRobotSettings: { params: { robotId: robot }, body: { cleaning_direction: "REVERSE" } },
  sendCommand: { body: { robotId: serial, robotObjectId: robot, siteId: site, command: "START" } },
  robotStatus: { query: { robotId: serial } },
  groupList: { params: { siteId: site } },
  createGroup: { body: { site_id: site, group_name: "New", robot_ids: [robot] }, groups: "free" },
  updateGroup: {
    params: { groupId: group },
    body: { site_id: site, group_name: "Renamed", robot_ids: [robot] },
    groups: "planned",
  },
  deleteGroup: { params: { groupId: group }, groups: "planned" },
  groupSendCommand: {
    body: { siteId: site, groupId: group, command: "START", robotObjectIds: [robot] },
    status: 200,
    groups: "planned",
  },
  siteStop: { body: { siteId: site }, status: 200 },
  robotsSendCommand: { body: { command: "START", robotObjectIds: [robot] }, status: 200 },
  fleetStop: { body: { partnerId: partner, robotObjectIds: [robot] }, status: 200, mixes: true },
  robotMaintenance: { params: { robotId: robot }, body: { enabled: true, reason: "Brush worn" }, status: 200 },
  groupMaintenance: {
    params: { groupId: group },
    body: { enabled: true, reason: "Brush worn" },
    status: 200,
    groups: "planned",
  },
  robotsMaintenance: { body: { enabled: true, reason: "Brush worn", robotObjectIds: [robot] }, status: 200 },
  getRobotSchedule: { params: { siteId: site }, groups: "planned" },
  scheduleDecisions: { params: { siteId: site }, query: { group_id: group }, groups: "planned" },
  createSchedule: { body: { site_id: site, group_id: group, ...plan }, groups: "unplanned" },
  updateSchedule: {
    params: { scheduleId: schedule },
    body: { site_id: site, group_id: group, ...plan },
    groups: "planned",
  },
  deleteSchedule: { params: { scheduleId: schedule }, groups: "planned" },
  runsList: { query: { site_id: site, robot_id: robot } },
  runsOfToday: { query: { count: "done" } },
  runsToday: {},
  runsCalendar: { params: { siteId: site } },
  runsFleetCalendar: {},
  runsNight: { params: { siteId: site }, query: { date: "2026-06-15" } },
  siteWeather: { params: { siteId: site } },
  siteSoiling: { params: { siteId: site } },
  siteStrategies: { params: { siteId: site } },
  energyAtRisk: {},
  measuredDays: { params: { siteId: site }, query: { from: "2026-06-01", to: "2026-06-14" } },
  measuredComparison: { params: { siteId: site } },
  correctModel: {
    params: { siteId: site },
    body: { fact: "performance_ratio_percent", from: 80, to: 76 },
    status: 409,
  },
  takeCorrectionBack: { params: { siteId: site }, query: { fact: "soiling_rate_factor" }, status: 409 },
  storeMeasurements: { params: { siteId: site }, body: { values: [{ start: "2026-06-01", meter_energy_kwh: 10 }] } },
  importMeasurements: { params: { siteId: site }, body: { csv: "start,meter_energy_kwh\n2026-06-01,10\n" } },
  exportMeasurements: { params: { siteId: site }, query: { from: "2026-06-01", to: "2026-06-14" } },
  deleteMeasurements: { params: { siteId: site }, query: { from: "2026-06-01", to: "2026-06-14" } },
  siteGuard: { params: { siteId: site } },
  updateSiteGuard: {
    params: { siteId: site },
    body: { max_gust_kmh: 45, max_rain_mm: 0.5, min_temperature_c: 2, max_temperature_c: 50, without_sensor: "STOP" },
  },
  assignSensor: { params: { siteId: site }, body: { serial_number: FREE_SERIAL }, changes: true },
  removeSensor: { params: { siteId: site } },
  partnerDetails: {},
  createPartner: { body: partnerForm, changes: true },
  updatePartner: { params: { id: partner }, body: partnerForm, changes: true },
  // The fixture partners have sites.
  deletePartner: { params: { id: partner }, status: 409 },
  resetPartnerPassword: { params: { id: partner }, changes: true },
  adminList: {},
  storage: {},
  createAdmin: { body: { username: "meera", name: "Meera Iyer", password: PASSWORD }, changes: true },
  // The Super Admin of the fixtures is the caller, who may do neither to themselves.
  resetAdminPassword: { params: { id: admin }, body: { password: PASSWORD }, status: 409 },
  removeAdmin: { params: { id: admin }, body: { password: PASSWORD }, status: 409 },
  deviceList: {},
  provisionDevices: { body: { first_serial: "NEW-1", last_serial: "NEW-3", partner_id: partner }, changes: true },
  allocateDevices: { body: { serials: [FREE_SERIAL], partner_id: partner }, changes: true },
  rotateDeviceSecret: { params: { serial: device }, changes: true },
  retireDevice: { params: { serial: device }, changes: true },
  auditList: { query: { site_id: site } },
  exportAudit: { query: { site_id: site } },
  reportTemplates: {},
  createReportTemplate: { body: templateForm, changes: true },
  updateReportTemplate: { params: { templateId: template }, body: templateForm, changes: true },
  deleteReportTemplate: { params: { templateId: template }, changes: true },
  reportSettings: {},
  updateReportSettings: { body: { recipients: ["desk@suncrew.example"] } },
  updateReportLogo: { file: sampleLogo },
  deleteReportLogo: {},
  monthlyReports: { query: { site_id: site } },
  makeMonthlyReport: { body: { site_id: site, month: "2026-04" }, changes: true },
  monthlyReportFile: { params: { reportId: report } },
  monthlyReportMail: { params: { reportId: report } },
  monthlyReportPreview: { params: { reportId: report } },
  sendMonthlyReport: { params: { reportId: report }, body: {}, changes: true },
  mailServer: {},
  updateMailServer: {
    body: {
      host: "127.0.0.1",
      port: 9,
      encryption: "NONE",
      user: null,
      from_name: "Suncrew",
      from_address: "reports@suncrew.example",
    },
  },
  deleteMailServer: { changes: true },
  testMailServer: { body: { to: "desk@suncrew.example" } },
  activityLogs: { query: { limit: 5, site_id: site, robot_id: robot } },
  reportPdf: { body: { site_id: site, ...june, template_id: null } },
  reportCsv: { body: { site_id: site, ...june } },
  exportActivity: { query: { site_id: site, robot_id: robot } },
  activityUsers: {},
  firmwareList: { firmware: true },
  uploadFirmware: {
    query: { version: "9.2.0", file_name: "robot.fw" },
    file: Buffer.from("firmware 9.2.0"),
    firmware: true,
  },
  deleteFirmware: { params: { firmwareId: firmware }, firmware: true },
  firmwareFile: {
    params: { offerId: seededFirmware.offerId },
    query: { expires: String(seededFirmware.expires), signature: seededOfferSignature(testSettings.secretKey) },
    firmware: true,
  },
  rolloutList: { firmware: true },
  createRollout: { body: { firmware_id: firmware, robot_ids: [robot] }, firmware: true, mixes: true },
  rolloutDetails: { params: { rolloutId: rollout }, firmware: true },
  controlRollout: { params: { rolloutId: rollout }, body: { action: "PAUSE" }, firmware: true },
  alertList: { query: { site_id: site, robot_id: robot }, alerts: true },
  acknowledgeAlert: { params: { alertId: alert }, alerts: true },
  attentionList: { alerts: true },
  // The key of an alert's item is the alert's id.
  acknowledgeAttention: { params: { itemId: alert }, body: { comment: "Seen." }, alerts: true },
  undoAcknowledgement: { params: { itemId: alert }, alerts: true },
  wallboardLinks: { wallboards: true },
  createWallboardLink: { body: { name: "Control room" }, wallboards: true },
  withdrawWallboardLink: { params: { linkId: wallboardLink }, wallboards: true },
  openWallboard: { body: { token: wallboardTokenOf("own") }, wallboards: true },
  contactPointList: { query: { site_id: site }, notifications: true },
  createContactPoint: { body: { owner: { kind: "PERSON" }, ...contactForm }, notifications: true },
  updateContactPoint: { params: { contactPointId: contactPoint }, body: contactForm, notifications: true },
  deleteContactPoint: { params: { contactPointId: contactPoint }, notifications: true },
  replaceSigningSecret: { params: { contactPointId: contactPoint }, notifications: true },
  testContactPoint: { params: { contactPointId: contactPoint }, notifications: true },
  notificationOptions: { notifications: true },
  notificationRules: { notifications: true },
  createNotificationRule: { body: ruleForm, notifications: true },
  updateNotificationRule: { params: { ruleId: rule }, body: ruleForm, notifications: true },
  deleteNotificationRule: { params: { ruleId: rule }, notifications: true },
  subscriptionList: { notifications: true },
  createSubscription: { body: { ...telling, contact_point_ids: [] }, notifications: true },
  updateSubscription: {
    params: { subscriptionId: subscription },
    body: { ...telling, contact_point_ids: [] },
    notifications: true,
    personal: true,
  },
  deleteSubscription: { params: { subscriptionId: subscription }, notifications: true, personal: true },
  teamList: { notifications: true },
  createTeam: { body: { name: "Day watch", member_ids: [admin] }, notifications: true },
  updateTeam: {
    params: { teamId: team },
    body: { name: "Day watch", member_ids: [admin] },
    notifications: true,
    mixes: true,
  },
  deleteTeam: { params: { teamId: team }, notifications: true },
  rotaList: { notifications: true },
  createRota: { body: { ...rotaForm, member_ids: [admin] }, notifications: true },
  updateRota: {
    params: { rotaId: rota },
    body: { ...rotaForm, member_ids: [admin] },
    notifications: true,
    mixes: true,
  },
  deleteRota: { params: { rotaId: rota }, notifications: true },
  muteList: { query: { site_id: site }, notifications: true },
  createMute: {
    body: { site_id: site, robot_id: robot, until: "2026-06-20T06:30:00.000Z", reason: "Brush change" },
    notifications: true,
  },
  endMute: { params: { muteId: mute }, notifications: true },
  deliveryList: {
    query: { site_id: site, alert_id: alert, contact_point_id: contactPoint },
    alerts: true,
    notifications: true,
    mixes: true,
  },
  deliveryDetails: { params: { deliveryId: delivery }, notifications: true },
  resendDelivery: { params: { deliveryId: delivery }, notifications: true },
  messageLink: { body: { token: messageTokenOf("ACKNOWLEDGE") }, notifications: true },
  acknowledgeByLink: { body: { token: messageTokenOf("ACKNOWLEDGE"), comment: "On my way." }, notifications: true },
  unsubscribeByLink: { body: { token: messageTokenOf("UNSUBSCRIBE") }, notifications: true },
  unsubscribeByMail: { query: { token: messageTokenOf("UNSUBSCRIBE") }, notifications: true },
  // Outside a demo there is no mailbox.
  demoMessages: { status: 404 },
  webhookList: { notifications: true },
  createWebhook: { body: webhookForm, notifications: true },
  updateWebhook: { params: { webhookId: webhook }, body: webhookForm, notifications: true },
  deleteWebhook: { params: { webhookId: webhook }, notifications: true },
  replaceWebhookSecret: { params: { webhookId: webhook }, notifications: true },
  testWebhook: { params: { webhookId: webhook }, notifications: true },
  replayWebhook: { params: { webhookId: webhook }, body: { since: "2026-06-01T00:00:00.000Z" }, notifications: true },
  eventDeliveryList: { query: { webhook_id: webhook }, notifications: true },
  replayEventDelivery: { params: { deliveryId: eventDelivery }, notifications: true },
  live: {},
  config: {},
  health: {},
  ready: {},
};

export type Kind = "own" | "foreign" | "absent" | "malformed";
export const kinds: readonly Kind[] = ["own", "foreign", "absent", "malformed"];

/** Values of a kind; `own` is the partner `owner`'s, `foreign` the partner `stranger`'s. */
export function valuesOf(place: Place, kind: Kind, fixtures: Fixtures, isJson: boolean): readonly unknown[] {
  const { ownRobot, foreignRobot, ownGroup, foreignGroup } = fixtures;
  const present = (
    { siteId, id, serial: name }: Fixtures["ownRobot"],
    { groupId, scheduleId }: Fixtures["ownGroup"],
    partnerId: number,
    alertId: string,
    linkId: number,
    whose: "own" | "foreign",
  ) =>
    ({
      site: siteId,
      robot: id,
      serial: name,
      device: name,
      group: groupId,
      schedule: scheduleId,
      partner: partnerId,
      // The first sample template: it belongs to nobody, so it is the same for everybody.
      template: 1,
      report: monthlyReportId(siteId),
      // These belong to nobody either: only Super Admins see them.
      firmware: seededFirmware.firmwareId,
      rollout: seededFirmware.rolloutId,
      alert: alertId,
      admin: fixtures.userIds.admin,
      "wallboard link": linkId,
      "contact point": notificationIds.contactPoint[whose],
      subscription: notificationIds.subscription[whose],
      mute: notificationIds.mute[whose],
      delivery: notificationIds.delivery[whose],
      rule: notificationIds.rule,
      team: notificationIds.team,
      rota: notificationIds.rota,
      webhook: notificationIds.webhook,
      "event delivery": notificationIds.eventDelivery,
    })[place];
  switch (kind) {
    case "own":
      return [present(ownRobot, ownGroup, fixtures.ownerPartnerId, openAlertIds.own, wallboardLinkIds.own, "own")];
    case "foreign":
      return [
        present(
          foreignRobot,
          foreignGroup,
          fixtures.strangerPartnerId,
          openAlertIds.foreign,
          wallboardLinkIds.foreign,
          "foreign",
        ),
      ];
    case "absent":
      if (place === "delivery") return ["0b000000-0000-4000-8000-000000000009"];
      return isSerial(place) ? ["NONE-1"] : [2_147_483_647, 999_999];
    case "malformed":
      return [...malformedText(place), ...(isJson ? [null, {}, [], ["1"], true] : [])];
  }
}

/** A value of a sample call with its ids filled in, all of the partner `owner`. */
export function ownValue(value: unknown, fixtures: Fixtures): unknown {
  if (Array.isArray(value)) return value.map((each) => ownValue(each, fixtures));
  return value instanceof Id ? valuesOf(value.place, "own", fixtures, true)[0] : value;
}

const isSerial = (place: Place) => place === "serial" || place === "device";

function malformedText(place: Place): readonly unknown[] {
  const anywhere = ["x'; drop table robots; --", "a/b", "#", "+", "é", " ", "\0", "x".repeat(60), "..."];
  if (isSerial(place) || place === "delivery") return anywhere;
  const numbers = [-1, 1.5, "1e3", "NaN", "0x1"];
  // Larger ones are ids of rows that do not exist.
  if (place === "alert" || place === "event delivery") return [...anywhere, ...numbers, "9".repeat(19)];
  return [...anywhere, ...numbers, 0, 2_147_483_648, "99999999999"];
}

/** Every place in the sample, with its location and name. */
export function placesOf(sample: SampleCall): { where: keyof SampleCall; name: string; place: Place }[] {
  return (["params", "query", "body"] as const).flatMap((where) =>
    Object.entries(sample[where] ?? {}).flatMap(([name, value]) => {
      const id: unknown = Array.isArray(value) ? value[0] : value;
      return id instanceof Id ? [{ where, name, place: id.place }] : [];
    }),
  );
}

/**
 * Ids whose rows have no owner: a serial number is free or taken, and a nonexistent partner id means the default. The
 * tests of their features check what happens to each.
 */
const ownedByNobody = [
  "maintenance_partner_id",
  "serial_number",
  "first_serial",
  "last_serial",
  "tax_id",
  "template_id",
  "offerId",
  // The caller's own only.
  "contact_point_ids",
  // Where a webhook hears of: only Super Admins have webhooks, and one that does not exist is a wrong value.
  "site_ids",
  "partner_ids",
];

/** Names in the route's schemas that look like ids of rows with an owner. */
export function idNamesOf(route: RouteSpec): string[] {
  return [route.params, route.query, route.body]
    .flatMap((schema) => Object.keys(schema?.shape ?? {}))
    .filter((name) => /(^|_)(id|ids|serial|serial_number)$|Ids?$|Serial$/.test(name))
    .filter((name) => !ownedByNobody.includes(name));
}
