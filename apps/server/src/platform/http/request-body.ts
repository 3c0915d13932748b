import type { FastifyInstance } from "fastify";
import { invalid } from "./http-error.ts";

/** No call needs more; what is nested deeper is somebody's trick. */
const MAX_DEPTH = 20;

/** JSON only; an empty body is an empty object, whatever content type it claims. */
export function useJsonBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    const text = body.toString();
    if (text.trim() === "") done(null, {});
    else void parseJson(request, text, done);
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
    if (typeof value !== "object" || value === null) continue;
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
