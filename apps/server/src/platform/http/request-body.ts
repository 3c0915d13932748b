import type { FastifyInstance, FastifyRequest } from "fastify";
import { workerTask } from "../workers/worker-task.ts";
import { workOwnerOf, type Workers } from "../workers/workers.ts";
import { HttpError, invalid } from "./http-error.ts";

/** No call needs more; what is nested deeper is somebody's trick. */
const MAX_DEPTH = 20;

/** The largest body of a call that asks for no more, in bytes; to look at it takes milliseconds whatever it holds. */
export const BODY_LIMIT_BYTES = 65_536;

/** A larger body is a file in a few fields. */
const LARGE_BODY_PARTS = 1_000;

/**
 * A large body in a form that is quickly parsed: each name stands in it once. Throws 400 where it is no JSON or has so
 * many parts that it would hold up others.
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
    if (parts > LARGE_BODY_PARTS) throw invalid("body", "body has too many parts");
    return JSON.stringify(parsed);
  },
  { isShort: true },
);

/** JSON, and files where a call takes one; an empty body is an empty object, whatever content type it claims. */
export function useJsonBodies(app: FastifyInstance, workers: Workers): void {
  const parseJson = app.getDefaultJsonParser("error", "error");
  const quicklyParsed = async (text: string, { viewer }: FastifyRequest): Promise<string> => {
    if (text.length <= BODY_LIMIT_BYTES) return text;
    if (viewer === null) throw new HttpError(413, "BODY_TOO_LARGE", "The request is too large.");
    return workers.run(largeBody, text, { asker: workOwnerOf(viewer), signal: new AbortController().signal });
  };
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    const text = body.toString();
    if (text.trim() === "") return done(null, {});
    quicklyParsed(text, request).then((whole) => void parseJson(request, whole, done), done);
  });
  app.addContentTypeParser("application/octet-stream", { parseAs: "buffer" }, (request, body, done) => {
    if (request.routeOptions.config.route?.upload !== undefined) done(null, body);
    else done(new HttpError(415, "UNSUPPORTED_MEDIA_TYPE", "This call takes JSON."));
  });
  app.addHook("preValidation", async (request) => {
    if (request.routeOptions.schema?.body !== undefined) request.body ??= {};
    refuseBrokenText(request.params, "params");
    refuseBrokenText(request.query, "query");
    refuseBrokenText(request.body, "body");
  });
}

/** PostgreSQL stores neither NUL nor half a surrogate pair: both are 400, never a failing query. */
function refuseBrokenText(whole: unknown, place: string): void {
  const rest: { value: unknown; path: string; depth: number }[] = [{ value: whole, path: "", depth: 0 }];
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
