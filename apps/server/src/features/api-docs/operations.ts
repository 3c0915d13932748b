import { PRESS_HEADER, PRESS_PATTERN } from "@suncrew/contract/commands/press.ts";
import type { RouteSpec } from "@suncrew/contract/http/route.ts";
import type { RouteName } from "@suncrew/contract/routes.ts";
import type { Permission } from "@suncrew/domain/auth/permissions.ts";
import type { z } from "zod";
import { type JsonSchema, sentSchema } from "./json-schema.ts";
import { refusalMeanings, refusalsOf, type RefusalStatus } from "./refusals.ts";
import { bodyExamples } from "./examples.ts";
import { tagOf } from "./tags.ts";

export interface Operation {
  readonly operationId: RouteName;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly object[];
  readonly parameters?: readonly object[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, object>>;
}

const whoMayCall = {
  anyone: "Anybody may make this call; it needs no token.",
  "signed-in": "Every signed-in user may make this call.",
  "super-admin": "Only a Super Admin may make this call.",
} as const;

const scopeWords = {
  none: "",
  own: " It is about the caller.",
  sites: " A partner gets what belongs to its own sites.",
  site: " A site of others answers 404.",
  robot: " A robot of others answers 404.",
  group: " A group of others answers 404.",
  schedule: " A schedule of others answers 404.",
} as const satisfies Partial<Record<Permission["scope"], string>>;

const scopeSentence = (scope: Permission["scope"]): string =>
  Object.entries(scopeWords).find(([known]) => known === scope)?.[1] ?? "";

/** One call. `answer` names the shape of its successful answer among the components. */
export function operationOf(name: RouteName, route: RouteSpec, permission: Permission, answer: string): Operation {
  const parameters = [...parametersIn("path", route.params), ...parametersIn("query", route.query), ...headersOf(name)];
  return {
    operationId: name,
    summary: route.summary,
    description: `${whoMayCall[permission.access]}${scopeSentence(permission.scope)}`,
    tags: [tagOf(route.path).name],
    security: permission.access === "anyone" ? [] : [{ bearer: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && { requestBody: requestBody(name, route.body) }),
    responses: {
      [String(route.status ?? 200)]: success(route, answer),
      ...Object.fromEntries(
        refusalsOf(name, route, permission).map((status) => [String(status), refusal(status, route.device === true)]),
      ),
    },
  };
}

function parametersIn(place: "path" | "query", schema: z.ZodObject | undefined): object[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = sentSchema(schema);
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = typeof property === "object" ? property : {};
    const said =
      description === undefined || place === "path" || description.startsWith("Digits") ? {} : { description };
    return { name, in: place, required: place === "path" || required.includes(name), ...said, schema: rest };
  });
}

function headersOf(name: RouteName): object[] {
  const keyed: object = {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description:
      "Names this press: one that is repeated, by a person or a bad network, gets the first one's result and acts once.",
    schema: { type: "string", minLength: 1, maxLength: 200 } satisfies JsonSchema,
  };
  const pressed: object = {
    name: PRESS_HEADER,
    in: "header",
    required: false,
    description:
      "When its button was pressed by the caller's clock, and how long the order then waited at the caller, both in milliseconds: a start that was pressed before a Stop of the same session, or waited while anybody pressed one, is refused.",
    schema: { type: "string", pattern: PRESS_PATTERN, examples: ["1767225600000 0"] } satisfies JsonSchema,
  };
  const isOrder: readonly RouteName[] = [
    "sendCommand",
    "groupSendCommand",
    "siteStop",
    "robotMaintenance",
    "groupMaintenance",
  ];
  return [...(name === "sendCommand" ? [keyed] : []), ...(isOrder.includes(name) ? [pressed] : [])];
}

function requestBody(name: RouteName, schema: z.ZodObject): object {
  const sent = sentSchema(schema);
  const example = bodyExamples[name];
  return {
    required: (sent.required ?? []).length > 0,
    content: { "application/json": { schema: sent, ...(example !== undefined && { example }) } },
  };
}

function success(route: RouteSpec, answer: string): object {
  const schema = { $ref: `#/components/schemas/${answer}` };
  if (route.stream === true) {
    const description =
      "A stream of server-sent events that stays open. The `data` line of each is one event as JSON; lines that begin " +
      "with `:` only show that the connection lives.";
    const event = { type: "string", contentMediaType: "application/json", contentSchema: schema };
    return { description, content: { "text/event-stream": { schema: event } } };
  }
  if (route.file !== undefined) {
    return { description: "A file.", content: { [route.file]: { schema: { type: "string" } } } };
  }
  const description = route.status === 201 ? "It was created." : "It worked.";
  return { description, content: { "application/json": { schema } } };
}

/** Every refusal there can be, once: calls refer to them. */
export function sharedRefusals(): Record<string, object> {
  const of = (error: "Error" | "DeviceError") =>
    Object.entries(refusalMeanings).map(([status, description]): [string, object] => [
      `${error}${status}`,
      { description, content: { "application/json": { schema: { $ref: `#/components/schemas/${error}` } } } },
    ]);
  return Object.fromEntries([...of("Error"), ...of("DeviceError")]);
}

function refusal(status: RefusalStatus, device: boolean): object {
  return { $ref: `#/components/responses/${device ? "DeviceError" : "Error"}${status}` };
}
