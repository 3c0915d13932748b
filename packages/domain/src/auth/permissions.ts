import type { Role } from "@suncrew/contract/auth/auth.ts";
import type { RouteName } from "@suncrew/contract/routes.ts";

/** Who may make a call at all. Rows outside of the user's scope answer 404 regardless. */
export type Access = "anyone" | "signed-in" | "super-admin";

/** What a call is about: decides which rows of another tenant it must not touch. */
export type Scope = "none" | "own" | "sites" | "site" | "robot" | "group" | "schedule" | "partner" | "device" | "alert";

export interface Permission {
  readonly access: Access;
  readonly scope: Scope;
  /** Also a wallboard may make it, which no person has signed in to; whatever does not say so, it may not. */
  readonly wallboard?: true;
}

/** The permission table (§6): one line for every call; the server enforces it, the console hides by it. */
export const permissions: Record<RouteName, Permission> = {
  config: { access: "anyone", scope: "none" },
  health: { access: "anyone", scope: "none" },
  ready: { access: "anyone", scope: "none" },
  login: { access: "anyone", scope: "none" },
  logout: { access: "signed-in", scope: "own" },
  changePassword: { access: "signed-in", scope: "own" },
  siteDetails: { access: "signed-in", scope: "sites" },
  createSite: { access: "super-admin", scope: "none" },
  updateSite: { access: "signed-in", scope: "site" },
  deleteSite: { access: "super-admin", scope: "site" },
  exportSites: { access: "signed-in", scope: "sites" },
  importSites: { access: "super-admin", scope: "none" },
  createPartner: { access: "super-admin", scope: "none" },
  updatePartner: { access: "super-admin", scope: "partner" },
  deletePartner: { access: "super-admin", scope: "partner" },
  resetPartnerPassword: { access: "super-admin", scope: "partner" },
  adminList: { access: "super-admin", scope: "none" },
  createAdmin: { access: "super-admin", scope: "none" },
  resetAdminPassword: { access: "super-admin", scope: "none" },
  removeAdmin: { access: "super-admin", scope: "none" },
  deviceList: { access: "super-admin", scope: "none" },
  provisionDevices: { access: "super-admin", scope: "none" },
  rotateDeviceSecret: { access: "super-admin", scope: "device" },
  allocateDevices: { access: "super-admin", scope: "partner" },
  retireDevice: { access: "super-admin", scope: "device" },
  // Templates belong to no tenant; a partner makes its reports with the active ones.
  reportTemplates: { access: "signed-in", scope: "none" },
  createReportTemplate: { access: "super-admin", scope: "none" },
  updateReportTemplate: { access: "super-admin", scope: "none" },
  deleteReportTemplate: { access: "super-admin", scope: "none" },
  reportSettings: { access: "super-admin", scope: "none" },
  updateReportSettings: { access: "super-admin", scope: "none" },
  monthlyReports: { access: "signed-in", scope: "sites" },
  monthlyReportFile: { access: "signed-in", scope: "sites" },
  partnerDetails: { access: "signed-in", scope: "own" },
  robotDetailsWithSettings: { access: "signed-in", scope: "site" },
  robotsList: { access: "signed-in", scope: "site" },
  robotDirectory: { access: "signed-in", scope: "sites" },
  createRobot: { access: "signed-in", scope: "site" },
  createRobots: { access: "signed-in", scope: "site" },
  updateRobot: { access: "signed-in", scope: "robot" },
  forgetRobotState: { access: "super-admin", scope: "robot" },
  deleteRobot: { access: "signed-in", scope: "robot" },
  robotTypes: { access: "signed-in", scope: "sites" },
  serialNumbers: { access: "signed-in", scope: "own" },
  robotBySerial: { access: "signed-in", scope: "robot" },
  robotHistory: { access: "signed-in", scope: "robot" },
  robotNights: { access: "signed-in", scope: "robot" },
  siteNights: { access: "signed-in", scope: "site" },
  robotOrders: { access: "signed-in", scope: "robot" },
  robotChanges: { access: "signed-in", scope: "robot" },
  exportRobots: { access: "signed-in", scope: "sites" },
  importRobots: { access: "signed-in", scope: "sites" },
  updateRobotSettings: { access: "signed-in", scope: "robot" },
  sendCommand: { access: "signed-in", scope: "robot" },
  robotStatus: { access: "signed-in", scope: "robot" },
  groupList: { access: "signed-in", scope: "site" },
  createGroup: { access: "signed-in", scope: "site" },
  updateGroup: { access: "signed-in", scope: "group" },
  deleteGroup: { access: "signed-in", scope: "group" },
  groupSendCommand: { access: "signed-in", scope: "group" },
  siteStop: { access: "signed-in", scope: "site" },
  robotsSendCommand: { access: "signed-in", scope: "robot" },
  fleetStop: { access: "signed-in", scope: "sites" },
  robotMaintenance: { access: "signed-in", scope: "robot" },
  groupMaintenance: { access: "signed-in", scope: "group" },
  robotsMaintenance: { access: "signed-in", scope: "robot" },
  getRobotSchedule: { access: "signed-in", scope: "site" },
  createSchedule: { access: "signed-in", scope: "group" },
  updateSchedule: { access: "signed-in", scope: "schedule" },
  deleteSchedule: { access: "signed-in", scope: "schedule" },
  runsList: { access: "signed-in", scope: "sites" },
  runsToday: { access: "signed-in", scope: "sites", wallboard: true },
  runsOfToday: { access: "signed-in", scope: "sites" },
  runsCalendar: { access: "signed-in", scope: "site" },
  runsFleetCalendar: { access: "signed-in", scope: "sites", wallboard: true },
  runsNight: { access: "signed-in", scope: "site" },
  siteWeather: { access: "signed-in", scope: "site", wallboard: true },
  reportPdf: { access: "signed-in", scope: "site" },
  reportCsv: { access: "signed-in", scope: "site" },
  activityLogs: { access: "super-admin", scope: "sites" },
  auditList: { access: "super-admin", scope: "sites" },
  exportAudit: { access: "super-admin", scope: "sites" },
  exportActivity: { access: "super-admin", scope: "sites" },
  activityUsers: { access: "super-admin", scope: "sites" },
  firmwareList: { access: "super-admin", scope: "none" },
  uploadFirmware: { access: "super-admin", scope: "none" },
  deleteFirmware: { access: "super-admin", scope: "none" },
  // Anyone with a URL that was signed for a robot.
  firmwareFile: { access: "anyone", scope: "none" },
  rolloutList: { access: "super-admin", scope: "none" },
  createRollout: { access: "super-admin", scope: "none" },
  rolloutDetails: { access: "super-admin", scope: "none" },
  controlRollout: { access: "super-admin", scope: "none" },
  alertList: { access: "signed-in", scope: "sites" },
  acknowledgeAlert: { access: "signed-in", scope: "alert" },
  attentionList: { access: "signed-in", scope: "sites", wallboard: true },
  acknowledgeAttention: { access: "signed-in", scope: "alert" },
  undoAcknowledgement: { access: "signed-in", scope: "alert" },
  storage: { access: "super-admin", scope: "none" },
  wallboardLinks: { access: "signed-in", scope: "own" },
  createWallboardLink: { access: "signed-in", scope: "own" },
  withdrawWallboardLink: { access: "signed-in", scope: "own" },
  // Anyone with a link.
  openWallboard: { access: "anyone", scope: "none" },
  live: { access: "signed-in", scope: "sites", wallboard: true },
};

/** True if the role may make the call. `null` means not signed in. */
export function mayCall(role: Role | null, route: RouteName, isWallboard = false): boolean {
  const { access, wallboard } = permissions[route];
  if (access === "anyone") return true;
  if (role === null || (isWallboard && wallboard !== true)) return false;
  return access === "signed-in" || role === "SUPER_ADMIN";
}
