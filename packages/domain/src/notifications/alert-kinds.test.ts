import { expect, test } from "vitest";
import { alertKindOf } from "./alert-kinds.ts";

test.each([
  ["ROBOT", "WHEEL_STUCK", "STUCK"],
  ["ROBOT", "PATH_BLOCKED", "STUCK"],
  ["ROBOT", "JAMMED", "STUCK"],
  ["ROBOT", "brush-jam", "STUCK"],
  ["ROBOT", "BRUSH_WORN", "ROBOT_FAULT"],
  ["ROBOT", "LOW_BATTERY", "LOW_BATTERY"],
  ["ROBOT", "SITE_DARK", "ROBOT_FAULT"],
  ["ROBOT", "constructor", "ROBOT_FAULT"],
  ["SERVER", "LOW_BATTERY", "LOW_BATTERY"],
  ["SERVER", "RUN_NOT_STARTED", "RUN_FAILED"],
  ["SERVER", "RUN_CUT_SHORT", "RUN_FAILED"],
  ["SERVER", "RUN_SKIPPED", "RUN_SKIPPED"],
  ["SERVER", "RUN_MISSED", "RUN_MISSED"],
  ["SERVER", "SITE_SOILED", "SITE_SOILED"],
  ["SERVER", "MEMORY_LOST", "ROBOT_FAULT"],
  ["SERVER", "DISK_NEARLY_FULL", "STORAGE"],
  ["SERVER", "SERVER_CLOCK", "SERVER"],
  ["SERVER", "WEATHER_LIMIT", "WEATHER"],
  ["SERVER", "SENSOR_SILENT", "WEATHER"],
  ["SERVER", "OF_A_NEWER_VERSION", "SERVER"],
  ["SERVER", "constructor", "SERVER"],
] as const)("kinds of alerts: %s %s is %s", (source, code, kind) => {
  expect(alertKindOf(source, code)).toBe(kind);
});
