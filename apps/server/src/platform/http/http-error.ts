import type { FieldError } from "@suncrew/contract/http/error.ts";
import type { ErrorCode, ErrorResponse } from "@suncrew/contract/http/error-codes.ts";

type ErrorDetails = Omit<ErrorResponse, "message" | "code">;

/** Refuses a call: thrown by services, sent unchanged by the error handler. Programs use `code`, people read `message`. */
export class HttpError extends Error {
  readonly status: number;
  readonly code: ErrorCode;
  readonly extra: ErrorDetails;

  constructor(status: number, code: ErrorCode, message: string, extra: ErrorDetails = {}) {
    super(message);
    this.name = "HttpError";
    this.status = status;
    this.code = code;
    this.extra = extra;
  }
}

/** 400 with the field named. */
export function invalid(field: string, message: string, code: ErrorCode = "VALIDATION_FAILED"): HttpError {
  const errors: FieldError[] = [{ field, message }];
  return new HttpError(400, code, message, { errors });
}

export function notSignedIn(message = "Please sign in.", code: ErrorCode = "NOT_SIGNED_IN"): HttpError {
  return new HttpError(401, code, message);
}

export function forbidden(message = "Your role does not allow this.", code: ErrorCode = "FORBIDDEN"): HttpError {
  return new HttpError(403, code, message);
}

const notFoundCodes = {
  Site: "SITE_NOT_FOUND",
  Robot: "ROBOT_NOT_FOUND",
  Group: "GROUP_NOT_FOUND",
  Schedule: "SCHEDULE_NOT_FOUND",
  Partner: "PARTNER_NOT_FOUND",
  Device: "DEVICE_NOT_FOUND",
  Alert: "ALERT_NOT_FOUND",
  Message: "DELIVERY_NOT_FOUND",
  "Attention item": "ATTENTION_NOT_FOUND",
  Report: "REPORT_NOT_FOUND",
  "Report logo": "REPORT_LOGO_NOT_FOUND",
  "Report template": "TEMPLATE_NOT_FOUND",
  Firmware: "FIRMWARE_NOT_FOUND",
  Rollout: "ROLLOUT_NOT_FOUND",
  "Super Admin": "ADMIN_NOT_FOUND",
  Webhook: "WEBHOOK_NOT_FOUND",
  "Event delivery": "EVENT_DELIVERY_NOT_FOUND",
  "Wallboard link": "WALLBOARD_LINK_NOT_FOUND",
  Person: "USER_NOT_FOUND",
  "Contact point": "CONTACT_POINT_NOT_FOUND",
  Rule: "RULE_NOT_FOUND",
  Subscription: "SUBSCRIPTION_NOT_FOUND",
  Team: "TEAM_NOT_FOUND",
  Rota: "ROTA_NOT_FOUND",
  Mute: "MUTE_NOT_FOUND",
} as const satisfies Readonly<Record<string, ErrorCode>>;

/** Also for what belongs to others, as if it did not exist. */
export function notFound(what: keyof typeof notFoundCodes): HttpError {
  return new HttpError(404, notFoundCodes[what], `${what} not found`);
}

export function conflict(code: ErrorCode, message: string): HttpError {
  return new HttpError(409, code, message);
}

/** 409 if the row has a newer version than the one that was edited: nothing is changed. */
export function editConflict(what: string): HttpError {
  const message = `Somebody else has changed this ${what} in the meantime.`;
  return new HttpError(409, "EDIT_CONFLICT", message, { errors: [{ field: "version", message }] });
}
