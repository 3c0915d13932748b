import type { RouteSpec } from "@suncrew/contract/http/route.ts";
import { errorResponseSchema, fieldErrorSchema } from "@suncrew/contract/http/error.ts";
import { type RouteName, routes } from "@suncrew/contract/routes.ts";
import { permissions } from "@suncrew/domain/auth/permissions.ts";
import type { z } from "zod";
import { capitalised, contractSchemas } from "./contract-schemas.ts";
import { answeredSchemas } from "./json-schema.ts";
import { type Operation, operationOf, sharedRefusals } from "./operations.ts";
import { productVersion } from "../../platform/product-version.ts";
import { type Tag, tagOf } from "./tags.ts";

export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: object;
  readonly tags: readonly Tag[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly securitySchemes: object;
    readonly responses: Readonly<Record<string, object>>;
    readonly schemas: Readonly<Record<string, object>>;
  };
}

const description = `Every call of Suncrew: those of its console, open to other programs.

- **Sign in** with \`POST /api/auth/login\` and send the token as \`Authorization: Bearer <token>\`. A session ends with its
  token, at sign-out and when the password is changed; the answer is then 401.
- **Who sees what**: a Super Admin sees all sites, a partner those assigned to it. What is beyond that is answered as if it
  were not there (404).
- **Times** are ISO 8601 in UTC, but for \`start_time\`, \`from\` and \`to\`, which are \`YYYY-MM-DD HH:MM:SS\` in the site's own zone.
- **Failures** answer \`{message, errors?}\` in plain words; calls that speak to a robot add \`success: false\`.
- **Answers may get fields** in later versions; none is renamed or taken away.
- **Robots** speak MQTT: their topics and messages are in the [AsyncAPI document](/api/docs/asyncapi.json).`;

/** The OpenAPI document of every call in the contract's list, with the permission table's word on who may make it. */
export function openApiDocument(): OpenApiDocument {
  const names = contractSchemas();
  const answers = new Map<z.ZodType, string>(names);
  answers.set(errorResponseSchema, "Error");
  answers.set(fieldErrorSchema, "FieldError");
  const calls = Object.entries(routes) as [RouteName, RouteSpec][];
  for (const [name, { response }] of calls)
    if (!answers.has(response)) answers.set(response, `${capitalised(name)}Answer`);
  const paths: Record<string, Record<string, Operation>> = {};
  for (const [name, route] of calls) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    const operation = operationOf(name, route, permissions[name], answers.get(route.response) ?? "");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation };
  }
  const schemas = { ...answeredSchemas(answers), DeviceError: deviceError };
  const responses = onlyReferred("responses", sharedRefusals(), paths);
  const tags = new Map(calls.map(([, { path }]) => [tagOf(path).name, tagOf(path)]));
  return {
    openapi: "3.1.0",
    info: {
      title: "Suncrew",
      version: productVersion(),
      summary: "Robot Fleet Management System",
      description,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    tags: [...tags.values()].map((tag) => ({ name: tag.name, description: tag.description })),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT", description: "The token of a sign-in." },
      },
      responses,
      schemas: onlyReferred("schemas", schemas, { paths, responses }),
    },
  };
}

const deviceError = {
  allOf: [
    { $ref: "#/components/schemas/Error" },
    { type: "object", properties: { success: { const: false } }, required: ["success"] },
  ],
};

/** The components of one kind that `from` names, directly or through another. */
function onlyReferred(
  kind: "schemas" | "responses",
  components: Readonly<Record<string, object>>,
  from: object,
): Record<string, object> {
  const kept = new Set<string>();
  const visit = (part: object): void => {
    for (const [, found, name = ""] of JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/(\w+)"/g)) {
      const component = components[name];
      if (found !== kind || component === undefined || kept.has(name)) continue;
      kept.add(name);
      visit(component);
    }
  };
  visit(from);
  return Object.fromEntries([...kept].toSorted().map((name) => [name, components[name] ?? {}]));
}
