import swagger from "@fastify/swagger";
import * as activity from "@suncrew/contract/activity/activity.ts";
import * as auth from "@suncrew/contract/auth/auth.ts";
import { PRESS_HEADER, PRESS_PATTERN } from "@suncrew/contract/commands/press.ts";
import * as devices from "@suncrew/contract/devices/devices.ts";
import * as groups from "@suncrew/contract/groups/groups.ts";
import { fieldErrorSchema } from "@suncrew/contract/http/error.ts";
import { errorResponseSchema } from "@suncrew/contract/http/error-codes.ts";
import * as imports from "@suncrew/contract/http/import.ts";
import type { RouteSpec, SentBodyOf } from "@suncrew/contract/http/route.ts";
import * as live from "@suncrew/contract/live/live.ts";
import * as partners from "@suncrew/contract/partners/partners.ts";
import * as robots from "@suncrew/contract/robots/robots.ts";
import { type RouteName, routes } from "@suncrew/contract/routes.ts";
import * as runs from "@suncrew/contract/runs/runs.ts";
import * as schedules from "@suncrew/contract/schedules/schedules.ts";
import * as sites from "@suncrew/contract/sites/sites.ts";
import * as measuredAgainstModel from "@suncrew/contract/measurements/measured-against-model.ts";
import * as measurements from "@suncrew/contract/measurements/measurements.ts";
import * as scheduleDecisions from "@suncrew/contract/schedules/schedule-decisions.ts";
import * as soilingStrategies from "@suncrew/contract/soiling/soiling-strategies.ts";
import * as soiling from "@suncrew/contract/soiling/soiling.ts";
import * as weather from "@suncrew/contract/weather/weather.ts";
import { type Permission, permissions } from "@suncrew/domain/auth/permissions.ts";
import type { FastifyInstance, FastifySchema } from "fastify";
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from "fastify-type-provider-zod";
import { z } from "zod";
import { productVersion } from "../../platform/product-version.ts";
import { capitalised, DIGITS_ACCEPTED, type JsonSchema, type Override, simplified } from "./json-schema.ts";

const description = `Every call of Suncrew: the ones its console makes, open to other programs.

- **Sign in** with \`POST /api/auth/login\` and send the token as \`Authorization: Bearer <token>\`. A session ends when its
  token expires, at sign-out and when the password is changed; calls then answer 401.
- **Who sees what**: a Super Admin sees all sites, a partner the sites assigned to it. Anything else is answered as if it
  did not exist (404).
- **Times** are ISO 8601 in UTC, except \`start_time\`, \`from\` and \`to\`, which are \`YYYY-MM-DD HH:MM:SS\` in the site's own time zone.
- **Errors** are \`{message, code, errors?}\`: a sentence for people, and a stable code for programs; calls that reach a
  robot add \`success: false\`. Decide by \`code\`, never by the sentence, and treat one you do not know by its status.
- **Responses may gain fields** in later versions; none is renamed or removed.
- **Robots** speak MQTT: their topics and messages are in the [AsyncAPI document](/api/docs/asyncapi.json).`;

const calls = Object.entries(routes) as [RouteName, RouteSpec][];
const callNames = new Map(calls.map(([name, route]) => [route, name]));
const status = (route: RouteSpec) => String(route.status ?? 200);

/** Collects every call that is registered after it, for `openApiDocument`. */
export async function collectCalls(app: FastifyInstance): Promise<void> {
  const options = { schemaRegistry: namedSchemas(), zodToJsonConfig: { override: extensible } };
  const withJsonSchemas = createJsonSchemaTransform(options);
  await app.register(swagger, {
    convertConstToEnum: false,
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Suncrew",
        version: productVersion(),
        summary: "Robot Fleet Management System",
        description,
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      tags: [...new Map(calls.map(([, { path }]) => [tagOf(path).name, tagOf(path)])).values()],
      components: {
        securitySchemes: {
          bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT", description: "The token of a sign-in." },
        },
      },
    },
    transform(document) {
      const { url, route } = document;
      const spec = route.config?.route;
      const name = spec && callNames.get(spec);
      if (spec === undefined || name === undefined) return { schema: { hide: true }, url };
      // The live stream is written by its own handler, so its registration has no response schema.
      const schemas = { ...document.schema, response: { [status(spec)]: spec.response } };
      return { schema: describeCall(name, spec, withJsonSchemas({ ...document, schema: schemas }).schema), url };
    },
    transformObject: createJsonSchemaTransformObject(options),
  });
}

const operationSchema = z.looseObject({
  operationId: z.string(),
  summary: z.string(),
  security: z.array(z.unknown()),
  parameters: z.array(z.looseObject({ in: z.string(), name: z.string() })).optional(),
  requestBody: z.looseObject({ required: z.boolean() }).optional(),
  responses: z.record(z.string(), z.unknown()),
});

const documentSchema = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
  components: z.looseObject({
    responses: z.record(z.string(), z.unknown()).default({}),
    schemas: z.record(z.string(), z.unknown()),
  }),
});
export type OpenApiDocument = z.output<typeof documentSchema>;

/** The OpenAPI document of the calls of an app that is ready, in the contract's order. */
export function openApiDocument(app: FastifyInstance): OpenApiDocument {
  const { paths: collected, components, ...rest } = documentSchema.parse(app.swagger());
  const paths: OpenApiDocument["paths"] = {};
  for (const [name, route] of calls) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    const method = route.method.toLowerCase();
    const operation = collected[path]?.[method];
    if (operation === undefined) continue;
    const { requestBody, responses } = operation;
    const error = route.device === true ? "DeviceError" : "Error";
    const errors: Record<string, unknown> = {};
    for (const code of errorStatuses(name, route)) errors[code] = { $ref: `#/components/responses/${error}${code}` };
    paths[path] = {
      ...paths[path],
      [method]: {
        ...operation,
        // A body whose fields are all optional may be omitted.
        ...(requestBody && { requestBody: { ...requestBody, required: !route.body?.safeParse({}).success } }),
        responses: { ...responses, ...(route.revalidates === true && { 304: unchanged }), ...errors },
      },
    };
  }
  const responses = onlyReferred("responses", errorResponses, paths);
  const schemas = onlyReferred("schemas", { ...components.schemas, DeviceError: deviceError }, { paths, responses });
  return { ...rest, paths, components: { ...components, responses, schemas } };
}

const unchanged = { description: "If-None-Match has the ETag of the current answer, which is not sent again." };

/** The components of one kind that `from` references, directly or indirectly. */
function onlyReferred(
  kind: "schemas" | "responses",
  components: Readonly<Record<string, unknown>>,
  from: object,
): Record<string, unknown> {
  const found = new Set<string>();
  const visit = (part: unknown): void => {
    for (const [, kindOfRef, name = ""] of JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/(\w+)"/g)) {
      if (kindOfRef !== kind || found.has(name) || !(name in components)) continue;
      found.add(name);
      visit(components[name]);
    }
  };
  visit(from);
  return Object.fromEntries([...found].toSorted().map((name) => [name, components[name]]));
}

/** What the document says about a call, with the JSON Schemas of its registration. */
function describeCall(
  name: RouteName,
  route: RouteSpec,
  { params, querystring, body, response }: FastifySchema,
): FastifySchema {
  const { access, scope } = permissions[name];
  const example = bodyExamples[name];
  const responses = jsonSchemas.parse(response);
  return {
    operationId: name,
    summary: route.summary,
    description: [whoMayCall[access], scopeNotes.get(scope)].filter(Boolean).join(" "),
    tags: [tagOf(route.path).name],
    security: access === "anyone" ? [] : [{ bearer: [] }],
    headers: { type: "object", properties: { ...headers[name], ...(route.revalidates === true && ifNoneMatch) } },
    ...(params !== undefined && { params: withoutDigitsNote(params) }),
    ...(querystring !== undefined && { querystring: withoutDigitsNote(querystring) }),
    ...(body !== undefined && {
      body: { ...jsonSchema.parse(body), ...(example !== undefined && { examples: [example] }) },
    }),
    response: { [status(route)]: success(route, responses[status(route)]) },
  };
}

const jsonSchema = z.record(z.string(), z.unknown());
const jsonSchemas = z.record(z.string(), jsonSchema);

/** Everything in a URL is text: that digits are accepted goes without saying. */
function withoutDigitsNote(parameters: unknown): object {
  const { properties, ...rest } = z.looseObject({ properties: jsonSchemas }).parse(parameters);
  for (const schema of Object.values(properties)) {
    if (schema["description"] === DIGITS_ACCEPTED) delete schema["description"];
  }
  return { ...rest, properties };
}

const whoMayCall = {
  anyone: "Anyone may make this call; it needs no token.",
  "signed-in": "Every signed-in user may make this call.",
  "super-admin": "Only a Super Admin may make this call.",
} as const;

const scopeNotes: ReadonlyMap<Permission["scope"], string> = new Map([
  ["own", "It concerns the caller only."],
  ["sites", "A partner gets what belongs to its own sites."],
  ["site", "Another partner's site answers 404."],
  ["robot", "Another partner's robot answers 404."],
  ["group", "Another partner's group answers 404."],
  ["schedule", "Another partner's schedule answers 404."],
]);

const idempotencyKey: JsonSchema = {
  type: "string",
  minLength: 1,
  maxLength: 200,
  description:
    "Identifies this press: a repeat, by a person or a bad network, gets the result of the first one and acts only once.",
};
const idempotencyKeyOfMany: JsonSchema = {
  ...idempotencyKey,
  description:
    "Identifies this press: a repeat, by a person or a bad network, gets each robot's first outcome and commands no robot twice. A Stop is never refused because its key was used for another call.",
};
const pressedAt: JsonSchema = {
  type: "string",
  pattern: PRESS_PATTERN,
  description:
    "When the button was pressed, by the caller's clock, and how long the order then waited at the caller, both in milliseconds: a start that was pressed before a Stop of the same session, or that waited while anyone pressed Stop, is refused.",
  examples: ["1767225600000 0"],
};
const press = { [PRESS_HEADER]: pressedAt };
const ifNoneMatch = {
  "if-none-match": {
    type: "string",
    description: "The ETag of an earlier answer: if nothing has changed, the call answers 304.",
  },
};

const headers: { readonly [N in RouteName]?: Readonly<Record<string, JsonSchema>> } = {
  sendCommand: { "Idempotency-Key": idempotencyKey, ...press },
  groupSendCommand: { "Idempotency-Key": idempotencyKeyOfMany, ...press },
  robotsSendCommand: { "Idempotency-Key": idempotencyKeyOfMany, ...press },
  siteStop: { "Idempotency-Key": idempotencyKeyOfMany, ...press },
  fleetStop: { "Idempotency-Key": idempotencyKeyOfMany, ...press },
  robotMaintenance: press,
  groupMaintenance: press,
};

function success(route: RouteSpec, schema: object = {}): object {
  if (route.stream === true) {
    const description =
      "A stream of server-sent events that stays open. The `data` line of each event is JSON; lines that begin with `:` " +
      "only show that the connection is alive.";
    const event = { type: "string", contentMediaType: "application/json", contentSchema: schema };
    return { description, content: { "text/event-stream": { schema: event } } };
  }
  if (route.file !== undefined) {
    return { description: "A file.", content: { [route.file]: { schema: { type: "string" } } } };
  }
  const text = route.status === 201 ? "Created." : "Success.";
  return { description: text, content: { "application/json": { schema } } };
}

/** What each status of a refused or failed call means, everywhere. */
const errorMeanings = {
  400: "Something in the request is not valid; `errors` names the fields.",
  401: "Not signed in: the token is missing, wrong or expired.",
  403: "The role does not allow it.",
  404: "It does not exist, or is not the caller's.",
  409: "It conflicts with the current state: a duplicate, an edit by someone else, or an order that the server refuses.",
  413: "The request is too large.",
  415: "The body is not JSON.",
  429: "Too many attempts; the message says how long to wait.",
  500: "Something went wrong on the server.",
  502: "The robot refused.",
  503: "The server cannot reach its database or the broker.",
  504: "The robot is offline or did not confirm in time; `pending` is true if the order waits for it.",
} as const;

type ErrorStatus = keyof typeof errorMeanings;

/** Errors that follow neither from a call's shape nor from its line in the permission table. */
const ownErrors: Partial<Record<RouteName, readonly ErrorStatus[]>> = {
  login: [401, 429],
  updateRobotSettings: [403],
};

function errorStatuses(name: RouteName, route: RouteSpec): ErrorStatus[] {
  const { access, scope } = permissions[name];
  const takesInput = route.params !== undefined || route.query !== undefined || route.body !== undefined;
  const namesRow = route.params !== undefined || !["none", "own", "sites"].includes(scope);
  const changes = route.method !== "GET";
  const found = new Set<ErrorStatus>([500, ...(ownErrors[name] ?? [])]);
  if (takesInput || changes) found.add(400);
  if (access !== "anyone") found.add(401);
  if (access === "super-admin") found.add(403);
  if (namesRow) found.add(404);
  if (changes && access !== "anyone" && scope !== "own") found.add(409);
  if (changes) found.add(413).add(415);
  if (route.device === true) found.add(502).add(504);
  if (access !== "anyone" || route.body !== undefined || name === "ready") found.add(503);
  return [...found].toSorted((one, other) => one - other);
}

/** Every possible error response, once: calls refer to them. */
const errorResponses = Object.fromEntries(
  ["Error", "DeviceError"].flatMap((error) =>
    Object.entries(errorMeanings).map(([code, meaning]) => [
      `${error}${code}`,
      { description: meaning, content: { "application/json": { schema: { $ref: `#/components/schemas/${error}` } } } },
    ]),
  ),
);

const deviceError = {
  allOf: [
    { $ref: "#/components/schemas/Error" },
    { type: "object", properties: { success: { const: false } }, required: ["success"] },
  ],
};

/** Where the contract defines shapes that several responses share; a shape that is not found here is written inline. */
// oxfmt-ignore
const modules = [
  activity, auth, devices, groups, imports, live, measuredAgainstModel, measurements, partners, robots, runs, scheduleDecisions, schedules, sites, soiling, soilingStrategies, weather,
];

/**
 * The contract's shapes under the names it gives them (`siteSchema` is Site), and each call's response. Inputs are
 * written inline: parameters cannot be a reference, and neither can a body with an example beside it.
 */
function namedSchemas() {
  const registry = z.registry<{ id: string }>();
  const inputs = new Set<z.core.$ZodType | undefined>();
  for (const [, { params, query, body }] of calls) {
    // A refined schema would refer to the one that it refines.
    // oxlint-disable-next-line no-underscore-dangle -- the library's name for what its tools may read
    for (const input of [params, query, body]) inputs.add(input).add(input?._zod.parent);
  }
  const add = (schema: z.ZodType, id: string) => {
    if (!registry.has(schema) && !inputs.has(schema)) registry.add(schema, { id });
  };
  for (const [exported, schema] of modules.flatMap((module) => Object.entries(module))) {
    const name = /^(\w+)Schema$/.exec(exported)?.[1];
    if (name !== undefined && (schema instanceof z.ZodObject || schema instanceof z.ZodUnion))
      add(schema, capitalised(name));
  }
  add(errorResponseSchema, "Error");
  add(fieldErrorSchema, "FieldError");
  for (const [name, { response }] of calls) add(response, `${capitalised(name)}Answer`);
  return registry;
}

/** Responses may gain fields, which readers must tolerate. Descriptions are in the library's own registry. */
const extensible: Override = (context) => {
  const described = z.globalRegistry.get(context.zodSchema)?.description;
  if (described !== undefined) context.jsonSchema.description = described;
  simplified(context);
  if (context.jsonSchema.additionalProperties === false) delete context.jsonSchema.additionalProperties;
};

/** What the viewer fills in for a first try. The sign-in is that of every demo, which is public. */
export const bodyExamples: { readonly [N in RouteName]?: SentBodyOf<(typeof routes)[N]> } = {
  login: { username: "partner", password: "partner@123" },
  sendCommand: { robotId: "SCR-1001", robotObjectId: 1, siteId: 1, command: "START" },
  updateRobotSettings: { cleaning_direction: "REVERSE" },
  robotMaintenance: { enabled: true, reason: "Brush worn" },
  createGroup: { site_id: 1, group_name: "North rows", robot_ids: [1, 2] },
  createSchedule: {
    site_id: 1,
    group_id: 1,
    start_time: "2027-01-31 06:30:00",
    duration_minutes: 45,
    frequency: "DAILY",
  },
};

interface Tag {
  readonly name: string;
  readonly description: string;
}

/** Features with the prefixes of their calls' paths; the first match counts. */
const tags: readonly (Tag & { readonly paths: readonly string[] })[] = [
  { name: "Sign-in", description: "Sessions of people.", paths: ["/api/auth/"] },
  { name: "Sites", description: "Solar parks and their counters.", paths: ["/api/sites/"] },
  {
    name: "Maintenance",
    description: "Locks under which nothing moves a robot.",
    paths: ["/api/robots/group/maintenance/", "/api/robots/maintenance/"],
  },
  {
    name: "Schedules",
    description: "When groups clean.",
    paths: ["getRobotSchedule", "schedule", "updateSchedule", "deleteSchedule"].map(
      (call) => `/api/robots/group/${call}`,
    ),
  },
  { name: "Groups", description: "Robots of a site that clean together.", paths: ["/api/robots/group/"] },
  { name: "Robots", description: "Machines, what they do, and their settings.", paths: ["/api/robots/"] },
  {
    name: "Commands",
    description: "Orders to robots, answered once the robots show what they did.",
    paths: ["/api/mqtt/"],
  },
  { name: "Partners", description: "Companies that maintain sites, and their users.", paths: ["/api/partner/"] },
  { name: "Runs", description: "Cleaning runs: past, in progress and planned.", paths: ["/api/runs"] },
  { name: "Weather", description: "Forecasts for sites and what they advise.", paths: ["/api/weather/"] },
  {
    name: "Soiling",
    description: "What dirt on the panels costs and what cleaning gains, by model.",
    paths: ["/api/soiling/"],
  },
  {
    name: "Measurements",
    description: "Energy by inverters and meters, and the ratios of soiling stations.",
    paths: ["/api/measurements/"],
  },
  {
    name: "Devices",
    description: "What signs in to the broker: serial numbers and secrets.",
    paths: ["/api/devices"],
  },
  {
    name: "Activity",
    description: "Starts and stops, including refused and failed ones.",
    paths: ["/api/site/robot/"],
  },
  { name: "Live", description: "Changes as they happen, by server-sent events.", paths: ["/api/live"] },
  {
    name: "Server",
    description: "What the server is and whether it works.",
    paths: ["/api/config", "/api/health", "/api/ready"],
  },
];

/** The feature that a call belongs to; for a path that is not listed, its first word. */
function tagOf(path: string): Tag {
  const listed = tags.find(({ paths }) => paths.some((beginning) => path.startsWith(beginning)));
  if (listed !== undefined) return { name: listed.name, description: listed.description };
  const [word = ""] = path.replace("/api/", "").split("/");
  return { name: capitalised(word), description: `Calls below /api/${word}.` };
}
