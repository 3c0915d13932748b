export interface Tag {
  readonly name: string;
  readonly description: string;
}

/** Features by the beginning of their calls' paths; the first that fits counts. */
const tagsByPath: readonly (readonly [beginning: string, tag: Tag])[] = [
  ["/api/auth/", { name: "Sign-in", description: "Sessions of people." }],
  ["/api/sites/", { name: "Sites", description: "Solar parks and their counters." }],
  ["/api/robots/group/maintenance/", { name: "Maintenance", description: "Locks under which nothing moves a robot." }],
  ["/api/robots/maintenance/", { name: "Maintenance", description: "Locks under which nothing moves a robot." }],
  ["/api/robots/group/getRobotSchedule", { name: "Schedules", description: "When groups clean." }],
  ["/api/robots/group/schedule", { name: "Schedules", description: "When groups clean." }],
  ["/api/robots/group/updateSchedule", { name: "Schedules", description: "When groups clean." }],
  ["/api/robots/group/deleteSchedule", { name: "Schedules", description: "When groups clean." }],
  ["/api/robots/group/", { name: "Groups", description: "Robots of a site that clean together." }],
  ["/api/robots/", { name: "Robots", description: "Machines, what they do, and their settings." }],
  ["/api/mqtt/", { name: "Commands", description: "Orders to robots, answered when the robots show what they did." }],
  ["/api/partner/", { name: "Partners", description: "Companies that maintain sites, and their users." }],
  ["/api/runs", { name: "Runs", description: "Cleanings: past, under way and planned." }],
  ["/api/weather/", { name: "Weather", description: "Forecasts of sites and what they advise." }],
  ["/api/devices", { name: "Devices", description: "What signs in to the broker: serial numbers and secrets." }],
  ["/api/site/robot/", { name: "Activity", description: "Starts and stops, also refused and failed ones." }],
  ["/api/live", { name: "Live", description: "Changes as they happen, by server-sent events." }],
  ["/api/config", { name: "Server", description: "What the server is and whether it works." }],
  ["/api/health", { name: "Server", description: "What the server is and whether it works." }],
  ["/api/ready", { name: "Server", description: "What the server is and whether it works." }],
];

/** The feature that a call belongs to; of a path that is not listed, its first word. */
export function tagOf(path: string): Tag {
  const listed = tagsByPath.find(([beginning]) => path.startsWith(beginning));
  if (listed !== undefined) return listed[1];
  const [word = ""] = path.replace("/api/", "").split("/");
  return { name: word.slice(0, 1).toUpperCase() + word.slice(1), description: `Calls below /api/${word}.` };
}
