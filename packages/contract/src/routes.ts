import { activityLogs } from "./activity/activity.ts";
import { login, logout } from "./auth/auth.ts";
import { robotStatus, sendCommand } from "./commands/commands.ts";
import { config, health, ready } from "./config/config.ts";
import { createGroup, deleteGroup, groupList, groupSendCommand, siteStop, updateGroup } from "./groups/groups.ts";
import { live } from "./live/live.ts";
import { groupMaintenance, robotMaintenance } from "./maintenance/maintenance.ts";
import { partnerDetails } from "./partners/partners.ts";
import { robotDetailsWithSettings, robotsList, updateRobotSettings } from "./robots/robots.ts";
import { runsCalendar, runsList, runsToday } from "./runs/runs.ts";
import { createSchedule, deleteSchedule, getRobotSchedule, updateSchedule } from "./schedules/schedules.ts";
import { siteDetails } from "./sites/sites.ts";
import { siteWeather } from "./weather/weather.ts";

/** Every call there is, by name. The permission table has exactly one line for each. */
export const routes = {
  login,
  logout,
  siteDetails,
  robotDetailsWithSettings,
  robotsList,
  updateRobotSettings,
  sendCommand,
  robotStatus,
  groupList,
  createGroup,
  updateGroup,
  deleteGroup,
  groupSendCommand,
  siteStop,
  robotMaintenance,
  groupMaintenance,
  getRobotSchedule,
  createSchedule,
  updateSchedule,
  deleteSchedule,
  runsList,
  runsToday,
  runsCalendar,
  siteWeather,
  partnerDetails,
  activityLogs,
  live,
  config,
  health,
  ready,
} as const;

export type RouteName = keyof typeof routes;
