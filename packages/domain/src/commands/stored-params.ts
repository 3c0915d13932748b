import type { CleaningDirection } from "@suncrew/contract/robots/robots.ts";

/** Directions as the device protocol writes them. */
export const protocolDirections = { FORWARD: "FWD", REVERSE: "REV" } as const satisfies Record<
  CleaningDirection,
  string
>;

export interface StoredSettings {
  readonly cleaning_direction: CleaningDirection;
  /** In percent. */
  readonly main_motor_speed: number;
  /** In percent. */
  readonly brush_motor_speed: number;
}

/** A robot's stored settings as a command's parameters. */
export function storedParams(robot: StoredSettings) {
  const direction = protocolDirections[robot.cleaning_direction];
  return { direction, "main-speed": robot.main_motor_speed, "brush-speed": robot.brush_motor_speed };
}
