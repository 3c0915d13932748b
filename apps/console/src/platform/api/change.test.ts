import { expect, test } from "vitest";
import { refusalOf } from "./change.ts";
import { ApiError, NetworkError } from "./errors.ts";

test.each([
  ["a decision of the server", new ApiError(409, "It is cleaning."), { reason: "It is cleaning.", mayRetry: false }],
  [
    "too many requests for now",
    new ApiError(429, "Try again in 9 s."),
    { reason: "Try again in 9 s.", mayRetry: true },
  ],
  ["no answer", new NetworkError(false), { reason: "It failed.", mayRetry: true }],
])("§8 Errors: %s is reported with its reason, and may be retried or not", (_, error, told) => {
  expect(refusalOf(error, "It failed.")).toEqual(told);
});
