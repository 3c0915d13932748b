import { readFileSync } from "node:fs";
import { serialSchema } from "@suncrew/contract/http/values.ts";
import { z } from "zod";
import { faultSchema, parseFaultText, sentenceOf } from "../faults/fault.ts";
import type { Device } from "../fleet/link.ts";
import { robotMemorySchema } from "../robot/memory.ts";

/** What a person at the robot could set. */
export const conditionSchema = z.strictObject({
  ...robotMemorySchema.pick({ battery: true, mode: true, maintenance: true, applied: true, firmware: true }).partial()
    .shape,
});

const faultInScenario = z.union([
  z.string().transform((text, context) => {
    try {
      return parseFaultText(text);
    } catch (error) {
      context.addIssue({ code: "custom", message: error instanceof Error ? error.message : "is no fault" });
      return z.NEVER;
    }
  }),
  faultSchema,
]);

/** How robots begin: `{"robots": {"SCR-1003": {"condition": {"battery": 40}, "faults": ["jam", {"kind": "late"}]}}}`. */
export const scenarioSchema = z.strictObject({
  robots: z.record(
    serialSchema,
    z.strictObject({ condition: conditionSchema.optional(), faults: z.array(faultInScenario).optional() }),
  ),
});
export type Scenario = z.output<typeof scenarioSchema>;

const devicesSchema = z.object({ devices: z.array(z.object({ serial: serialSchema, secret: z.string().min(1) })) });

/** Throws one sentence where the file is missing or wrong. */
export function readScenarioFile(path: string): Scenario {
  return readJsonFile(path, "scenario", scenarioSchema);
}

/** Throws one sentence, without any secret, where the file is missing or wrong. */
export function readDevicesFile(path: string): Device[] {
  return readJsonFile(path, "devices", devicesSchema).devices;
}

function readJsonFile<T>(path: string, what: string, schema: z.ZodType<T>): T {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    throw new Error(`The ${what} file ${path} cannot be read as JSON.`);
  }
  const parsed = schema.safeParse(content);
  if (!parsed.success) throw new Error(`The ${what} file ${path} is wrong at ${sentenceOf(parsed.error)}`);
  return parsed.data;
}
