import { type Leaf, leaves, TOPIC_ROOT } from "@suncrew/contract/devices/topics.ts";
import { z } from "zod";
import { leafTexts, messageExamples } from "./asyncapi-document.ts";
import { sentSchema } from "./json-schema.ts";

/** The parts of a JSON Schema that the tables use. */
const fieldSchema = z.object({
  description: z.string().optional(),
  examples: z.array(z.unknown()).optional(),
  type: z.string().optional(),
  format: z.string().optional(),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  maxItems: z.number().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  items: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
});
type FieldSchema = z.output<typeof fieldSchema>;

/** One field of a leaf; nested ones by their path. */
export interface DeviceField {
  readonly path: string;
  readonly type: string;
  readonly meaning: string | undefined;
  readonly examples: readonly unknown[];
}

/** Every field of a leaf; one list per kind if there are several kinds of messages. */
export function fieldsOf(leaf: Leaf): { readonly kind: string | null; readonly fields: readonly DeviceField[] }[] {
  const schema = fieldSchema.parse(sentSchema(leaves[leaf].schema, "draft-7"));
  const kinds = schema.oneOf ?? schema.anyOf;
  if (kinds === undefined) return [{ kind: null, fields: fieldsIn(schema, "") }];
  return kinds.map((one) => {
    const parsed = fieldSchema.parse(one);
    const { const: kind } = fieldSchema.parse(parsed.properties?.["verb"] ?? parsed.properties?.["kind"]);
    return { kind: String(kind), fields: fieldsIn(parsed, "") };
  });
}

function fieldsIn({ properties = {}, required = [] }: FieldSchema, above: string): DeviceField[] {
  return Object.entries(properties).flatMap(([name, value]) => {
    const schema = fieldSchema.parse(value);
    const path = `${above}${name}`;
    const type = `${typeOf(schema)}${required.includes(name) ? "" : ", optional"}`;
    const own = { path, type, meaning: schema.description, examples: schema.examples ?? [] };
    const inside = schema.items === undefined ? schema : fieldSchema.parse(schema.items);
    return [own, ...fieldsIn(inside, `${path}${schema.items === undefined ? "" : "[]"}.`)];
  });
}

function typeOf(schema: FieldSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf !== undefined) return schema.anyOf.map((one) => typeOf(fieldSchema.parse(one))).join(" or ");
  if (schema.enum !== undefined) return schema.enum.join(", ");
  if (schema.format === "date-time") return "time";
  if (schema.format === "uuid") return "UUID";
  if (schema.type === "string") return text(schema);
  if (schema.type === "array") return `list of at most ${schema.maxItems}`;
  return `${schema.type}${bounds(schema.minimum, schema.maximum)}`;
}

function text({ minLength, maxLength }: FieldSchema): string {
  if (maxLength === undefined) return "text";
  return minLength === undefined ? `text up to ${maxLength}` : `text, ${minLength} to ${maxLength}`;
}

function bounds(minimum: number | undefined, maximum: number | undefined): string {
  if (minimum === undefined && maximum === undefined) return "";
  return maximum === undefined ? `, at least ${minimum}` : `, ${minimum} to ${maximum}`;
}

const cell = (words: string): string => words.replaceAll("|", "\\|");

/** The tables of docs/api/device-fields.md: each field of each topic with its meaning, its bounds and an example. */
export function deviceFieldsText(): string {
  const parts = (Object.keys(leaves) as Leaf[]).map((leaf) => {
    const { from, qos, retained } = leaves[leaf];
    const lists = fieldsOf(leaf);
    const shared = lists.length === 1 ? [] : (lists[0]?.fields.filter((field) => lists.every(hasField(field))) ?? []);
    const tables = lists.map(({ kind, fields }) => {
      const own = fields.filter((field) => !shared.some(({ path }) => path === field.path));
      return `${kind === null ? "" : `### ${leaf}: ${kind}\n\n`}${table(own)}`;
    });
    const examples = messageExamples[leaf].map(
      ({ summary, payload }) => `${summary}:\n\n\`\`\`json\n${JSON.stringify(payload)}\n\`\`\``,
    );
    return [
      `## ${leaf}`,
      `\`${TOPIC_ROOT}/{serial}/${leaf}\`, ${from === "server" ? "to the robot" : `from the ${from}`}, QoS ${qos}, ${retained ? "retained" : "never retained"}. ${leafTexts[leaf].summary}`,
      ...(shared.length === 0 ? [] : [`In every ${leaf}:\n\n${table(shared)}`]),
      ...tables,
      ...examples,
    ].join("\n\n");
  });
  return `# Fields of the device protocol

Generated from the schemas by \`npm run api-docs\`. What a robot does with them is described in the
[device guide](../device-guide.md). All fields are required unless a line says otherwise; fields that are not listed are
ignored. A time is in RFC 3339 format with an offset, such as 2026-11-21T12:00:00+05:30, with T and Z in capitals.

${parts.join("\n\n")}
`;
}

const hasField =
  ({ path, meaning }: DeviceField) =>
  ({ fields }: { readonly fields: readonly DeviceField[] }): boolean =>
    fields.some((field) => field.path === path && field.meaning === meaning);

function table(fields: readonly DeviceField[]): string {
  const rows = fields.map(({ path, type, meaning = "", examples }) => {
    const example = examples.map((one) => `\`${JSON.stringify(one)}\``).join(" ");
    return `| \`${path}\` | ${cell(type)} | ${cell(meaning)} | ${cell(example)} |`;
  });
  return ["| Field | Type and bounds | Meaning | Example |", "|---|---|---|---|", ...rows].join("\n");
}
