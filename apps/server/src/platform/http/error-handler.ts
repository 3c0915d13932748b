import type { FieldError } from "@suncrew/contract/http/error.ts";
import type { ErrorCode, ErrorResponse } from "@suncrew/contract/http/error-codes.ts";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import {
  databaseFault,
  isDatabaseUnreachable,
  isDatabaseUnwritable,
  isOwnDiskUnwritable,
} from "../database/database-errors.ts";
import { ConcurrentChangeError } from "../database/transactions.ts";
import { codeOf } from "../errors.ts";
import type { ThrottledLog } from "../throttle.ts";
import { HttpError } from "./http-error.ts";

/** Fastify's own refusals in plain words; others keep their status, with a general message. */
const fastifyRefusals: Readonly<Record<string, { readonly code: ErrorCode; readonly message: string }>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: { code: "INVALID_JSON", message: "The body is not valid JSON." },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: "UNSUPPORTED_MEDIA_TYPE",
    message: "The body must be JSON (content type application/json).",
  },
  FST_ERR_CTP_BODY_TOO_LARGE: { code: "BODY_TOO_LARGE", message: "The request is too large." },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: "INVALID_CONTENT_LENGTH",
    message: "The body is not as long as its Content-Length says.",
  },
  FST_ERR_BAD_URL: { code: "INVALID_URL", message: "The address is not valid." },
  FST_ERR_MAX_PARAM_LENGTH: { code: "URL_TOO_LONG", message: "The address is too long." },
};

interface Refusal {
  readonly status: number;
  readonly body: ErrorResponse;
}

/** Turns every error into an answer `{message, code, errors?}`; device calls add `success: false`. Internals never leak. */
export function useErrorHandler(app: FastifyInstance, log: ThrottledLog): void {
  app.setErrorHandler((error, request, reply) => {
    const refusal = refusalOf(error);
    if (refusal.status >= 500 && !(error instanceof HttpError)) logError(log, error, request, refusal.status);
    answerWith(refusal, request, reply);
  });
}

/** For what Fastify refuses before routing: always the request's own fault. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  answerWith(refusalOf(error), request, reply);
}

function answerWith({ status, body }: Refusal, request: FastifyRequest, reply: FastifyReply): void {
  if (reply.sent || reply.raw.headersSent) {
    reply.raw.destroy();
    return;
  }
  const device = request.routeOptions?.config?.route?.device === true;
  void reply
    .status(status)
    .header("cache-control", "no-store")
    .type("application/json; charset=utf-8")
    .serializer(JSON.stringify)
    .send(device ? { success: false, ...body } : body);
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof HttpError)
    return { status: error.status, body: { message: error.message, code: error.code, ...error.extra } };
  if (isValidationError(error)) {
    const { validationContext: place = "body" } = error;
    const errors = fieldErrorsOf(error.validation, place === "querystring" ? "query" : place);
    const message = errors.map((each) => each.message).join("; ");
    return { status: 400, body: { message, code: "VALIDATION_FAILED", errors } };
  }
  const refusal = (status: number, code: ErrorCode, message: string): Refusal => ({ status, body: { message, code } });
  if (isDatabaseUnwritable(error)) {
    const message = `${databaseFault(error)} Nothing can be stored until this is fixed. Please try again later.`;
    return refusal(503, "DATABASE_UNWRITABLE", message);
  }
  if (isOwnDiskUnwritable(error)) {
    const message = "This server's disk is full or cannot be written. Please try again later.";
    return refusal(503, "SERVER_DISK_FULL", message);
  }
  if (isDatabaseUnreachable(error)) {
    return refusal(503, "DATABASE_UNREACHABLE", "The database cannot be reached at the moment. Please try again.");
  }
  if (error instanceof ConcurrentChangeError) {
    return refusal(409, "CONCURRENT_CHANGE", "Others changed the same at this moment. Please try again.");
  }
  const status =
    error instanceof Error && "statusCode" in error && typeof error.statusCode === "number" ? error.statusCode : 500;
  if (status >= 400 && status < 500) {
    const unlisted = { code: "INVALID_REQUEST", message: "The request is not valid." } as const;
    return { status, body: fastifyRefusals[codeOf(error)] ?? unlisted };
  }
  return refusal(500, "INTERNAL_ERROR", "Something went wrong on the server.");
}

type ValidationError = FastifyError & { validation: NonNullable<FastifyError["validation"]> };

function isValidationError(error: unknown): error is ValidationError {
  return error instanceof Error && "validation" in error && Array.isArray(error.validation);
}

/** Without the request's body, which may hold personal data. */
function logError(log: ThrottledLog, error: unknown, request: FastifyRequest, status: number): void {
  const { method, routeOptions } = request;
  const route = routeOptions?.url;
  const text = error instanceof Error ? error.message : "not an Error was thrown";
  log.error({ error, status, method, route }, "call failed", `${method} ${route} ${text}`);
}

/** What a zod issue carries besides its path, as the validator passes it on. */
const issueSchema = z.looseObject({
  code: z.string(),
  message: z.string(),
  expected: z.string().optional(),
  format: z.string().optional(),
  origin: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  values: z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
  keys: z.array(z.string()).optional(),
  errors: z.array(z.array(z.unknown())).optional(),
});
type Issue = z.output<typeof issueSchema>;

interface ValidationEntry {
  readonly keyword?: string;
  readonly instancePath?: string;
  readonly message?: string;
  readonly params?: Record<string, unknown>;
}

/** The validator's findings, one plain sentence per field. `place` is used for issues of the whole input. */
function fieldErrorsOf(entries: readonly ValidationEntry[], place: string): FieldError[] {
  return entries.map((entry) => {
    const field = (entry.instancePath ?? "").slice(1).replaceAll("/", ".") || place;
    const parsed = issueSchema.safeParse({ ...entry.params, code: entry.keyword, message: entry.message });
    return { field, message: fieldSentence(field, parsed.success ? problemOf(parsed.data) : "is not valid") };
  });
}

/** The problems that a schema finds in values that no route parsed, such as a file's row; the messages leave out the field. */
export function fieldProblemsOf({ issues }: z.ZodError): FieldError[] {
  return issues.map(({ path, ...issue }) => {
    const parsed = issueSchema.safeParse(issue);
    return { field: path.join("."), message: parsed.success ? problemOf(parsed.data) : "is not valid" };
  });
}

/** Puts the field in front of a problem; messages that begin with a capital are complete sentences. */
export function fieldSentence(field: string, problem: string): string {
  return /^\p{Lu}/u.test(problem) ? problem : `${field} ${problem}`;
}

const isCustomMessage = (message: string) => !/^(Invalid|Too |Unrecognized|Number must)/.test(message);
const isMissing = (issue: Issue) => issue.message.endsWith("received undefined");

const typeNames: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

const formatNames: Readonly<Record<string, string>> = {
  uuid: "a UUID",
  date: "a date like 2026-01-31",
  datetime: "a time like 2026-01-31T09:30:00Z",
  email: "an email address",
};

function problemOf(issue: Issue): string {
  if (isMissing(issue)) return "is required";
  if (isCustomMessage(issue.message)) return issue.message;
  switch (issue.code) {
    case "invalid_type":
      return `must be ${typeNames[issue.expected ?? ""] ?? issue.expected ?? "another value"}`;
    case "invalid_value":
      return `must be ${issue.values?.length === 1 ? "" : "one of "}${(issue.values ?? []).join(", ")}`;
    case "invalid_format":
      return `must be ${formatNames[issue.format ?? ""] ?? "in another form"}`;
    case "too_small":
      return issue.minimum === undefined ? "is too small" : `must ${amount(issue, `at least ${issue.minimum}`)}`;
    case "too_big":
      return issue.maximum === undefined ? "is too large" : `must ${amount(issue, `at most ${issue.maximum}`)}`;
    case "unrecognized_keys":
      return `has unknown parts: ${(issue.keys ?? []).join(", ")}`;
    case "invalid_union":
      return unionProblemOf(issue);
    default:
      return "is not valid";
  }
}

/** "have at least 3 characters", "be at least 3". */
function amount({ origin }: Issue, bound: string): string {
  if (origin === "string") return `have ${bound} characters`;
  return origin === "array" ? `have ${bound} entries` : `be ${bound}`;
}

/** For a value of several possible forms: the problem of the form that came closest. */
function unionProblemOf(issue: Issue): string {
  const forms = (issue.errors ?? [])
    .map((form) => issueSchema.safeParse(form[0]))
    .flatMap((form) => (form.success ? [form.data] : []));
  if (forms.length > 0 && forms.every(isMissing)) return "is required";
  const near = forms.find((form) => form.code !== "invalid_type");
  if (near) return problemOf(near);
  const types = forms.map((form) => typeNames[form.expected ?? ""] ?? form.expected ?? "another value");
  return types.length > 0 ? `must be ${types.join(" or ")}` : "is not valid";
}
