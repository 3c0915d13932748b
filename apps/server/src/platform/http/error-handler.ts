import type { ErrorResponse } from "@suncrew/contract/http/error.ts";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ThrottledLog } from "../throttle.ts";
import { ConcurrentChangeError } from "../database/transactions.ts";
import {
  databaseFault,
  isDatabaseUnreachable,
  isDatabaseUnwritable,
  isOwnDiskUnwritable,
} from "../database/database-errors.ts";
import { HttpError } from "./http-error.ts";
import { fieldErrorsOf } from "./validation-errors.ts";

export const UNEXPECTED = "Something went wrong on the server.";

/** Fastify's own refusals in plain words; what is not listed keeps its status and says that the request is not valid. */
const wordsByCode: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: "The body is not valid JSON.",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "The body must be JSON (content type application/json).",
  FST_ERR_CTP_BODY_TOO_LARGE: "The request is too large.",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "The body is not as long as its Content-Length says.",
  FST_ERR_BAD_URL: "The address is not valid.",
  FST_ERR_MAX_PARAM_LENGTH: "The address is too long.",
};

interface Refusal {
  readonly status: number;
  readonly body: ErrorResponse;
}

/** Makes every error an answer `{message, errors?}`; device calls add `success: false`. Nothing inner gets out. */
export function useErrorHandler(app: FastifyInstance, log: ThrottledLog): void {
  app.setErrorHandler((error, request, reply) => {
    const refusal = refusalOf(error);
    if (refusal.status >= 500 && !(error instanceof HttpError)) logError(log, error, request, refusal.status);
    answerWith(refusal, request, reply);
  });
}

/** For what Fastify refuses before it looks for a route: always the request's own fault. */
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
  if (error instanceof HttpError) return { status: error.status, body: { message: error.message, ...error.extra } };
  if (isValidationError(error)) {
    const errors = fieldErrorsOf(
      error.validation,
      error.validationContext === "querystring" ? "query" : (error.validationContext ?? "body"),
    );
    return { status: 400, body: { message: errors.map((each) => each.message).join("; "), errors } };
  }
  if (isDatabaseUnwritable(error)) {
    const message = `${databaseFault(error)} Nothing can be stored until that is mended. Please try again later.`;
    return { status: 503, body: { message } };
  }
  if (isOwnDiskUnwritable(error)) {
    return {
      status: 503,
      body: { message: "This server's disk is full or cannot be written. Please try again later." },
    };
  }
  if (isDatabaseUnreachable(error)) {
    return { status: 503, body: { message: "The database cannot be reached at the moment. Please try again." } };
  }
  if (error instanceof ConcurrentChangeError) {
    return { status: 409, body: { message: "Others changed the same at this moment. Please try again." } };
  }
  const { statusCode, code } = partsOf(error);
  if (statusCode >= 400 && statusCode < 500) {
    return { status: statusCode, body: { message: wordsByCode[code] ?? "The request is not valid." } };
  }
  return { status: 500, body: { message: UNEXPECTED } };
}

type ValidationError = FastifyError & { validation: NonNullable<FastifyError["validation"]> };

function isValidationError(error: unknown): error is ValidationError {
  return error instanceof Error && "validation" in error && Array.isArray(error.validation);
}

function partsOf(error: unknown): { statusCode: number; code: string } {
  if (!(error instanceof Error)) return { statusCode: 500, code: "" };
  return {
    statusCode: "statusCode" in error && typeof error.statusCode === "number" ? error.statusCode : 500,
    code: "code" in error && typeof error.code === "string" ? error.code : "",
  };
}

/** Not the request's body: it may hold what is nobody's business. */
function logError(log: ThrottledLog, error: unknown, request: FastifyRequest, status: number): void {
  const { method, routeOptions } = request;
  const route = routeOptions?.url;
  const words = error instanceof Error ? error.message : "not an Error was thrown";
  log.error({ error, status, method, route }, "call failed", `${method} ${route} ${words}`);
}
