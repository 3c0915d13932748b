import { activityLogs, activityUsers, exportActivity } from "./activity/activity.ts";
import { adminList, createAdmin, removeAdmin, resetAdminPassword } from "./admins/admins.ts";
import { acknowledgeAlert, alertList } from "./alerts/alerts.ts";
import { acknowledgeAttention, attentionList, undoAcknowledgement } from "./attention/attention.ts";
import { auditList, exportAudit } from "./audit/audit.ts";
import { changePassword, login, logout } from "./auth/auth.ts";
import { robotStatus, sendCommand } from "./commands/commands.ts";
import { config, health, ready } from "./config/config.ts";
import { allocateDevices, deviceList, provisionDevices, retireDevice, rotateDeviceSecret } from "./devices/devices.ts";
import {
  createRollout,
  deleteFirmware,
  firmwareFile,
  firmwareList,
  rolloutDetails,
  rolloutList,
  controlRollout,
  uploadFirmware,
} from "./firmware/firmware.ts";
import {
  createGroup,
  deleteGroup,
  fleetStop,
  groupList,
  groupSendCommand,
  robotsSendCommand,
  siteStop,
  updateGroup,
} from "./groups/groups.ts";
import { live } from "./live/live.ts";
import { groupMaintenance, robotMaintenance, robotsMaintenance } from "./maintenance/maintenance.ts";
import {
  createPartner,
  deletePartner,
  partnerDetails,
  resetPartnerPassword,
  updatePartner,
} from "./partners/partners.ts";
import {
  createReportTemplate,
  deleteReportTemplate,
  reportSettings,
  reportTemplates,
  updateReportSettings,
  updateReportTemplate,
} from "./report-templates/report-templates.ts";
import { monthlyReportFile, monthlyReports, reportCsv, reportPdf } from "./reports/reports.ts";
import {
  createRobot,
  createRobots,
  deleteRobot,
  forgetRobotState,
  robotTypes,
  serialNumbers,
  updateRobot,
} from "./robots/robot-forms.ts";
import { robotNights, siteNights } from "./robot-history/nights.ts";
import { robotBySerial, robotChanges, robotHistory, robotOrders } from "./robot-history/robot-history.ts";
import { exportRobots, importRobots } from "./robots/robot-files.ts";
import { robotDetailsWithSettings, robotDirectory, robotsList, updateRobotSettings } from "./robots/robots.ts";
import { runsCalendar, runsFleetCalendar, runsList, runsNight, runsOfToday, runsToday } from "./runs/runs.ts";
import { createSchedule, deleteSchedule, getRobotSchedule, updateSchedule } from "./schedules/schedules.ts";
import { createSite, deleteSite, siteDetails, updateSite } from "./sites/sites.ts";
import { exportSites, importSites } from "./sites/site-files.ts";
import { storage } from "./storage/storage.ts";
import { createWallboardLink, openWallboard, wallboardLinks, withdrawWallboardLink } from "./wallboard/wallboard.ts";
import { siteWeather } from "./weather/weather.ts";

/** Every call, by name. The permission table has exactly one line for each. */
export const routes = {
  login,
  logout,
  changePassword,
  siteDetails,
  createSite,
  updateSite,
  deleteSite,
  exportSites,
  importSites,
  robotDetailsWithSettings,
  robotsList,
  robotDirectory,
  createRobot,
  createRobots,
  updateRobot,
  deleteRobot,
  forgetRobotState,
  robotTypes,
  serialNumbers,
  robotBySerial,
  robotHistory,
  robotNights,
  siteNights,
  robotOrders,
  robotChanges,
  exportRobots,
  importRobots,
  updateRobotSettings,
  sendCommand,
  robotStatus,
  groupList,
  createGroup,
  updateGroup,
  deleteGroup,
  groupSendCommand,
  siteStop,
  robotsSendCommand,
  fleetStop,
  robotMaintenance,
  groupMaintenance,
  robotsMaintenance,
  getRobotSchedule,
  createSchedule,
  updateSchedule,
  deleteSchedule,
  runsList,
  runsOfToday,
  runsToday,
  runsCalendar,
  runsFleetCalendar,
  runsNight,
  siteWeather,
  partnerDetails,
  createPartner,
  updatePartner,
  deletePartner,
  resetPartnerPassword,
  adminList,
  createAdmin,
  resetAdminPassword,
  removeAdmin,
  deviceList,
  provisionDevices,
  rotateDeviceSecret,
  allocateDevices,
  retireDevice,
  reportTemplates,
  createReportTemplate,
  updateReportTemplate,
  deleteReportTemplate,
  reportSettings,
  updateReportSettings,
  monthlyReports,
  monthlyReportFile,
  activityLogs,
  auditList,
  exportAudit,
  exportActivity,
  activityUsers,
  reportPdf,
  reportCsv,
  firmwareList,
  uploadFirmware,
  deleteFirmware,
  firmwareFile,
  rolloutList,
  createRollout,
  rolloutDetails,
  controlRollout,
  alertList,
  acknowledgeAlert,
  attentionList,
  acknowledgeAttention,
  undoAcknowledgement,
  storage,
  wallboardLinks,
  createWallboardLink,
  withdrawWallboardLink,
  openWallboard,
  live,
  config,
  health,
  ready,
} as const;

export type RouteName = keyof typeof routes;
