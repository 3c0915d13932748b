import type { login } from "@suncrew/contract/auth/auth.ts";
import type { sendCommand } from "@suncrew/contract/commands/commands.ts";
import type { SentBodyOf } from "@suncrew/contract/http/route.ts";
import type { createGroup } from "@suncrew/contract/groups/groups.ts";
import type { robotMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import type { updateRobotSettings } from "@suncrew/contract/robots/robots.ts";
import type { RouteName } from "@suncrew/contract/routes.ts";
import type { createSchedule } from "@suncrew/contract/schedules/schedules.ts";

/** The sign-ins are those of every demo, which anybody may know. */
const signIn: SentBodyOf<typeof login> = { username: "partner", password: "partner@123" };
const start: SentBodyOf<typeof sendCommand> = { robotId: "SCR-1001", robotObjectId: 1, siteId: 1, command: "START" };
const settings: SentBodyOf<typeof updateRobotSettings> = { cleaning_direction: "REVERSE" };
const lock: SentBodyOf<typeof robotMaintenance> = { enabled: true, reason: "Brush worn" };
const group: SentBodyOf<typeof createGroup> = { site_id: 1, group_name: "North rows", robot_ids: [1, 2] };
const schedule: SentBodyOf<typeof createSchedule> = {
  site_id: 1,
  group_id: 1,
  start_time: "2027-01-31 06:30:00",
  duration_minutes: 45,
  frequency: "DAILY",
};

/** What the viewer fills in for a first try; each is typed by its call. */
export const bodyExamples: Readonly<Partial<Record<RouteName, unknown>>> = {
  login: signIn,
  sendCommand: start,
  updateRobotSettings: settings,
  robotMaintenance: lock,
  createGroup: group,
  createSchedule: schedule,
};
