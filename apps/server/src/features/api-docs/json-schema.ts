import { idInputSchema, percentInputSchema } from "@suncrew/contract/http/values.ts";
import { z } from "zod";

/** A schema as the documents hold it. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

type Dialect = "draft-2020-12" | "draft-7";

/** Numbers that may also be sent as digits: as a number they say more. */
const numbersInWords = new Map<z.core.$ZodType, JsonSchema>([
  [idInputSchema, { type: "integer", minimum: 1, maximum: 2_147_483_647, description: "Digits as text are accepted." }],
  [percentInputSchema, { type: "integer", minimum: 0, maximum: 100, description: "Digits as text are accepted." }],
]);

type Override = NonNullable<z.core.ToJSONSchemaParams["override"]>;

/** What the schema library says too much of, or too little. */
const plainer: Override = ({ zodSchema, jsonSchema }) => {
  const words = numbersInWords.get(zodSchema);
  if (words !== undefined) {
    for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
    Object.assign(jsonSchema, words);
  }
  // The format says it; the pattern behind it is a page long.
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  // Bounds of exact numbers, which the contract does not mean.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
};

/** An answer may get fields: whoever reads it must not stumble over them. */
const open: Override = (context) => {
  plainer(context);
  if (context.jsonSchema.additionalProperties === false) delete context.jsonSchema.additionalProperties;
};

/** What a caller or a robot may send. */
export function sentSchema(schema: z.ZodType, dialect: Dialect = "draft-2020-12"): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    target: dialect,
    unrepresentable: "any",
    override: plainer,
  });
  return rest;
}

/** What comes back, each under its name; they refer to each other by `#/components/schemas/`. */
export function answeredSchemas(named: ReadonlyMap<z.ZodType, string>): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [schema, id] of named) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    io: "output",
    unrepresentable: "any",
    uri: (id) => `#/components/schemas/${id}`,
    override: open,
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _dialect, $id: _id, ...schema }]) => [id, schema]),
  );
}
