import type { FastifyInstance, FastifyRequest } from "fastify";
import { workerTask } from "../workers/worker-task.ts";
import { workOwnerOf, type Workers } from "../workers/workers.ts";
import { HttpError, invalid } from "./http-error.ts";

/** No call needs more; deeper nesting is an attack. */
const MAX_DEPTH = 20;

/** The default limit of a body, in bytes; parsing one takes milliseconds whatever it contains. */
export const BODY_LIMIT_BYTES = 65_536;

/** A larger body is a file in a few fields. */
const MAX_LARGE_BODY_PARTS = 1_000;

/** RFC 8058: mail programs should post the first, and may post the second. */
const FORM_TYPES = ["multipart/form-data", "application/x-www-form-urlencoded"];

/**
 * Rewrites a large body so that it parses quickly, with every name only once. Throws 400 if it is not JSON, or has so
 * many parts that parsing it would delay others.
 */
export const largeBody = workerTask(
  "large body",
  async (text: string) => {
    let parts = 0;
    const count = (_key: string, value: unknown) => {
      parts += 1;
      return value;
    };
    let parsed: unknown;
    try {
      parsed = JSON.parse(text, count);
    } catch {
      throw new HttpError(400, "INVALID_JSON", "The body is not valid JSON.");
    }
    if (parts > MAX_LARGE_BODY_PARTS) throw invalid("body", "body has too many parts");
    return JSON.stringify(parsed);
  },
  { isShort: true },
);

/** JSON, and files where a call takes one; an empty body is an empty object, whatever content type it claims. */
export function useJsonBodies(app: FastifyInstance, workers: Workers): void {
  const parseJson = app.getDefaultJsonParser("error", "error");
  const rewriteLarge = async (text: string, { viewer }: FastifyRequest): Promise<string> => {
    if (text.length <= BODY_LIMIT_BYTES) return text;
    if (viewer === null) throw new HttpError(413, "BODY_TOO_LARGE", "The request is too large.");
    return workers.run(largeBody, text, { owner: workOwnerOf(viewer), signal: new AbortController().signal });
  };
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    const text = body.toString();
    if (text.trim() === "") return done(null, {});
    rewriteLarge(text, request).then((json) => void parseJson(request, json, done), done);
  });
  app.addContentTypeParser("application/octet-stream", { parseAs: "buffer" }, (request, body, done) => {
    if (request.routeOptions.config.route?.upload !== undefined) done(null, body);
    else done(new HttpError(415, "UNSUPPORTED_MEDIA_TYPE", "This call takes JSON."));
  });
  app.addContentTypeParser(FORM_TYPES, { parseAs: "buffer" }, (request, _body, done) => {
    if (request.routeOptions.config.route?.form === true) done(null, {});
    else done(new HttpError(415, "UNSUPPORTED_MEDIA_TYPE", "The body must be JSON (content type application/json)."));
  });
  app.addHook("preValidation", async (request) => {
    if (request.routeOptions.schema?.body !== undefined) request.body ??= {};
    refuseBrokenText(request.params, "params");
    refuseBrokenText(request.query, "query");
    refuseBrokenText(request.body, "body");
  });
}

/** PostgreSQL stores neither NUL nor lone surrogates: both are 400, never a failing query. */
function refuseBrokenText(input: unknown, place: string): void {
  const rest: { value: unknown; path: string; depth: number }[] = [{ value: input, path: "", depth: 0 }];
  for (let next = rest.pop(); next; next = rest.pop()) {
    const { value, path, depth } = next;
    if (typeof value === "string") checkText(value, path || place);
    // A file is no text.
    if (typeof value !== "object" || value === null || Buffer.isBuffer(value)) continue;
    if (depth >= MAX_DEPTH) throw invalid(path.split(".")[0] || place, `${place} is nested too deeply`);
    for (const [key, part] of Object.entries(value)) {
      checkText(key, path || place);
      rest.push({ value: part, path: path ? `${path}.${key}` : key, depth: depth + 1 });
    }
  }
}

function checkText(text: string, field: string): void {
  if (text.includes("\0") || !text.isWellFormed()) throw invalid(field, `${field} has characters that are not text`);
}
