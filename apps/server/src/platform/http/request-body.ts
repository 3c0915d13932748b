import type { FastifyInstance } from "fastify";
import { HttpError, invalid } from "./http-error.ts";

/** No call needs more; what is nested deeper is somebody's trick. */
const MAX_DEPTH = 20;

/** JSON, and files where a call takes one; an empty body is an empty object, whatever content type it claims. */
export function useJsonBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    const text = body.toString();
    if (text.trim() === "") done(null, {});
    else void parseJson(request, text, done);
  });
  app.addContentTypeParser("application/octet-stream", { parseAs: "buffer" }, (request, body, done) => {
    if (request.routeOptions.config.route?.upload !== undefined) done(null, body);
    else done(new HttpError(415, "This call takes JSON."));
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
