import { expect, test } from "vitest";
import { AnswerError, ApiError, NetworkError } from "../../platform/api/errors.ts";
import { signInFailure } from "./sign-in-failure.ts";

test.each([
  ["401, whatever it says", new ApiError(401, "Wrong"), "Invalid credentials"],
  ["500, whatever it says", new ApiError(500, "Broken"), "Server error. Please try again later."],
  ["another status with a message", new ApiError(429, "Wait 60 s."), "Wait 60 s."],
  ["another status without one", new ApiError(502, ""), "Login failed"],
  ["no connection", new NetworkError(false), "Network error. Please check your connection."],
  ["no answer in time", new NetworkError(true), "Network error. Please check your connection."],
  [
    "an answer not understood",
    new AnswerError("/api/auth/login", null),
    "Login failed. Please check your credentials.",
  ],
])("§8 Login: %s", (_, error, sentence) => {
  expect(signInFailure(error)).toBe(sentence);
});
