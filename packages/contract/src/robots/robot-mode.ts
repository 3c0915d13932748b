import { z } from "zod";

/** A robot's operating mode in the API. A mode is added here, and to the database in a migration. */
export const operatingModeSchema = z.enum(["auto", "manual", "maintenance"]);
export type OperatingMode = z.output<typeof operatingModeSchema>;

/** The same mode in the device protocol and in commands, by the API's name. */
export const deviceModeSchema = z.enum({
  auto: "AUTO",
  manual: "MANUAL",
  maintenance: "MAINTENANCE",
} as const satisfies { [Mode in OperatingMode]: Uppercase<Mode> });
export type DeviceMode = z.output<typeof deviceModeSchema>;

/** The modes in which a robot can be started: all but maintenance, which is a lock. */
export const unlockedModeSchema = operatingModeSchema.exclude(["maintenance"]);
export type UnlockedMode = z.output<typeof unlockedModeSchema>;

export const commandModeSchema = deviceModeSchema.exclude(["maintenance"]);
export type CommandMode = z.output<typeof commandModeSchema>;
