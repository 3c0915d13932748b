import type { ErrorResponse, FieldError } from "@suncrew/contract/http/error.ts";

/** An answer that refuses a call: thrown by services, sent by the error handler as it stands. */
export class HttpError extends Error {
  readonly status: number;
  readonly extra: Omit<ErrorResponse, "message">;

  constructor(status: number, message: string, extra: Omit<ErrorResponse, "message"> = {}) {
    super(message);
    this.name = "HttpError";
    this.status = status;
    this.extra = extra;
  }
}

/** 400 with the field named. */
export function invalid(field: string, message: string): HttpError {
  const errors: FieldError[] = [{ field, message }];
  return new HttpError(400, message, { errors });
}

export function notSignedIn(message = "Please sign in."): HttpError {
  return new HttpError(401, message);
}

export function forbidden(message = "Your role does not allow this."): HttpError {
  return new HttpError(403, message);
}

/** Also for what belongs to others: as if it were not there. */
export function notFound(what: string): HttpError {
  return new HttpError(404, `${what} not found`);
}

export function conflict(message: string): HttpError {
  return new HttpError(409, message);
}

/** 409 where an edit began from a version that is no longer the row's: nothing is changed. */
export function editConflict(what: string): HttpError {
  const message = `Somebody else changed this ${what} meanwhile.`;
  return new HttpError(409, message, { errors: [{ field: "version", message }] });
}
