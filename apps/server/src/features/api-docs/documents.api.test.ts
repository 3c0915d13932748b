import { readFileSync } from "node:fs";
import { leaves, type Leaf } from "@suncrew/contract/devices/topics.ts";
import { eventSchemas, eventTypeSchema } from "@suncrew/contract/events/event-types.ts";
import type { RouteSpec } from "@suncrew/contract/http/route.ts";
import { type RouteName, routes } from "@suncrew/contract/routes.ts";
import { permissions } from "@suncrew/domain/auth/permissions.ts";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import asyncApiSpecs from "@asyncapi/specs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import { documentFiles, documentText } from "./api-docs.routes.ts";
import { asyncApiDocument, leafName, messageExamples } from "./asyncapi-document.ts";
import { eventExamples, eventName } from "./asyncapi-webhooks.ts";
import { fieldsOf } from "./device-fields.ts";
import { bodyExamples, openApiDocument, type OpenApiDocument } from "./openapi-document.ts";

const plain = (value: object): Record<string, unknown> =>
  z.record(z.string(), z.unknown()).parse(JSON.parse(JSON.stringify(value)));
let server: TestApp;
let openApi: OpenApiDocument;
beforeAll(async () => {
  server = await createTestApp();
  await server.app.http.ready();
  openApi = openApiDocument(server.app.http);
});
afterAll(() => server.close());
const asyncApi = asyncApiDocument();
const names = Object.keys(routes) as RouteName[];

function operationOf(name: RouteName) {
  const route: RouteSpec = routes[name];
  const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
  const operation = openApi.paths[path]?.[route.method.toLowerCase()];
  if (operation === undefined) throw new Error(`${name} is not in the document`);
  return { route, path, operation };
}

describe("open to other programs: the OpenAPI document", () => {
  test("it is valid against the schema of OpenAPI 3.1", async () => {
    expect(await new Validator().validate(plain(openApi))).toEqual({ valid: true });
  });

  test("every reference resolves, and every component is referenced", () => {
    const text = JSON.stringify(openApi);
    const referred = new Set([...text.matchAll(/"#\/components\/(\w+\/\w+)"/g)].map(([, path = ""]) => path));
    const { responses, schemas } = openApi.components;
    const there = [
      ...Object.keys(responses).map((name) => `responses/${name}`),
      ...Object.keys(schemas).map((name) => `schemas/${name}`),
    ];
    expect(new Set(there)).toEqual(referred);
  });

  test.each(names)("§7 %s: its parameters, its body, who may call it, and what it returns", (name) => {
    const { route, path, operation } = operationOf(name);
    const { access } = permissions[name];
    expect(operation.operationId).toBe(name);
    expect(operation.summary).toBe(route.summary);
    expect(operation.security).toEqual(access === "anyone" ? [] : [{ bearer: [] }]);
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => `path ${parameter}`);
    const inQuery = Object.keys(route.query?.shape ?? {}).map((parameter) => `query ${parameter}`);
    const parameters = (operation.parameters ?? []).map((parameter) => plain(parameter));
    const documented = parameters
      .filter((parameter) => parameter["in"] !== "header")
      .map((one) => [one["in"], one["name"]].join(" "));
    expect(documented.toSorted()).toEqual([...inPath, ...inQuery].toSorted());
    expect(operation.requestBody !== undefined).toBe(route.body !== undefined);
    const statuses = Object.keys(operation.responses).map(Number);
    expect(statuses).toContain(route.status ?? 200);
    expect(statuses.includes(401)).toBe(access !== "anyone" || name === "login");
    const expected = [
      ...(access === "super-admin" ? [403] : []),
      ...(route.device === true ? [502, 503, 504] : []),
      ...(route.body === undefined ? [] : [400, 413]),
    ];
    expect(statuses).toEqual(expect.arrayContaining(expected));
  });

  test("a stream and a file are documented as such", () => {
    const types = (name: RouteName) => {
      const { route, operation } = operationOf(name);
      const answer = z
        .object({ content: z.record(z.string(), z.unknown()) })
        .parse(operation.responses[route.status ?? 200]);
      return Object.keys(answer.content);
    };
    for (const name of names) {
      const route: RouteSpec = routes[name];
      expect([name, types(name)]).toEqual([
        name,
        [route.stream ? "text/event-stream" : (route.file ?? "application/json")],
      ]);
    }
  });

  test.each(Object.entries(bodyExamples))("the example of %s is what the call takes", (name, example) => {
    const route = new Map<string, RouteSpec>(Object.entries(routes)).get(name);
    expect(route?.body?.safeParse(example).error).toBeUndefined();
  });

  test("schemas compile as JSON Schema 2020-12, and accept what the contract accepts", () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema(plain(openApi), "document");
    const site = ajv.getSchema("document#/components/schemas/Error");
    expect(site?.({ message: "Site not found", code: "SITE_NOT_FOUND" })).toBe(true);
    expect(site?.({ errors: [] })).toBe(false);
    const broken = Object.keys(openApi.components.schemas).filter(
      (name) => typeof ajv.getSchema(`document#/components/schemas/${name}`) !== "function",
    );
    expect(broken).toEqual([]);
  });
});

describe("open to other programs: the AsyncAPI document", () => {
  test("it is valid against the schema of AsyncAPI 3.0", () => {
    // The schema includes the draft that it is written in.
    const ajv = new Ajv({ strict: false, allErrors: true, meta: false, validateSchema: false });
    addFormats.default(ajv);
    const isValid = ajv.compile(plain(asyncApiSpecs.schemas["3.0.0"]));
    expect([isValid(plain(asyncApi)), isValid.errors]).toEqual([true, null]);
  });

  test.each(eventTypeSchema.options)("events out: the example of %s is what its schema says", (type) => {
    const ajv = new Ajv({ strict: false });
    addFormats.default(ajv);
    const isEvent = ajv.compile(plain(asyncApi.components.schemas[eventName(type)] ?? {}));
    const example = eventExamples[type];
    expect([eventSchemas[type].safeParse(example).error, isEvent(example)]).toEqual([undefined, true]);
  });

  const all = Object.keys(leaves) as Leaf[];
  test.each(all)("device protocol: the topic %s with its direction, QoS and retention", (leaf) => {
    const { from, qos, retained } = leaves[leaf];
    const operations = Object.values(asyncApi.operations).filter((one) =>
      JSON.stringify(one).includes(`"#/channels/${leafName(leaf)}"`),
    );
    expect(operations).toHaveLength(1);
    expect(operations[0]).toMatchObject({
      action: from === "server" ? "send" : "receive",
      bindings: { mqtt: { qos, retain: retained } },
    });
    expect(asyncApi.channels[leafName(leaf)]?.address).toBe(`scr/v1/{serial}/${leaf}`);
  });

  test.each(all)("device protocol: the examples of %s are messages that the server accepts", (leaf) => {
    const ajv = new Ajv({ strict: false });
    addFormats.default(ajv);
    const isMessage = ajv.compile(plain(asyncApi.components.schemas[leafName(leaf)] ?? {}));
    for (const { name, payload } of messageExamples[leaf]) {
      expect([name, leaves[leaf].schema.safeParse(payload).error, isMessage(payload)]).toEqual([name, undefined, true]);
    }
  });
});

test.each(Object.keys(leaves) as Leaf[])(
  "device protocol: every field of %s says what it means, with an example",
  (leaf) => {
    const silent = fieldsOf(leaf).flatMap(({ kind, fields }) =>
      fields.filter(({ meaning, examples }) => !meaning || examples.length === 0).map(({ path }) => [kind, path]),
    );
    expect(silent).toEqual([]);
  },
);

/** The messages in the device guide, each marked with its topic: ```json state. */
const guide = readFileSync(new URL("../../../../../docs/device-guide.md", import.meta.url), "utf8");
const shown = [...guide.matchAll(/^```json (\S+)\n([\s\S]*?)^```$/gm)].map(([, leaf = "", text = ""]) => ({
  leaf,
  text,
}));

test("device guide: it shows a message of every topic", () => {
  expect(new Set(shown.map(({ leaf }) => leaf))).toEqual(new Set(Object.keys(leaves)));
});

test.each(shown)("device guide: the example of $leaf is a message that the other side accepts", ({ leaf, text }) => {
  const known = (Object.keys(leaves) as Leaf[]).find((one) => one === leaf);
  if (known === undefined) throw new Error(`${leaf} is no topic`);
  const message: unknown = JSON.parse(text);
  expect(leaves[known].schema.safeParse(message).error).toBeUndefined();
});

test.each(documentFiles)("docs/api/%s equals what the code generates; `npm run api-docs` writes it", (name) => {
  const written = readFileSync(new URL(`../../../../../docs/api/${name}`, import.meta.url), "utf8");
  expect(
    written === documentText(name, server.app.http),
    `docs/api/${name} is older than the contract: run \`npm run api-docs\``,
  ).toBe(true);
});
