import { idInputSchema, percentInputSchema } from "@suncrew/contract/http/values.ts";
import { z } from "zod";

export type JsonSchema = z.core.JSONSchema.BaseSchema;

export const DIGITS_ACCEPTED = "Digits as text are accepted.";

/** Numbers that may also be sent as digits: documenting them as numbers is more helpful. */
const numericInputs = new Map<z.core.$ZodType, JsonSchema>([
  [idInputSchema, { type: "integer", minimum: 1, maximum: 2_147_483_647, description: DIGITS_ACCEPTED }],
  [percentInputSchema, { type: "integer", minimum: 0, maximum: 100, description: DIGITS_ACCEPTED }],
]);

export type Override = NonNullable<z.core.ToJSONSchemaParams["override"]>;

/** Corrects the schema library where it says too much, or too little. */
export const simplified: Override = ({ zodSchema, jsonSchema }) => {
  const numeric = numericInputs.get(zodSchema);
  if (numeric !== undefined) {
    for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
    Object.assign(jsonSchema, numeric);
  }
  // The format says it; the pattern behind it is a page long.
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  // The bounds of safe integers, which the contract does not mean.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
};

/** The JSON Schema of what a caller or a robot may send. */
export function sentSchema(schema: z.ZodType, dialect: "draft-2020-12" | "draft-7" = "draft-2020-12"): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    target: dialect,
    unrepresentable: "any",
    override: simplified,
  });
  return rest;
}

export function capitalised(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}
