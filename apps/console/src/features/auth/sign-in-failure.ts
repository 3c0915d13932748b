import { ApiError, NetworkError } from "../../platform/api/errors.ts";

/** §8 Session and sign-in: the banner's text for a failed sign-in. */
export function signInFailure(error: unknown): string {
  if (error instanceof NetworkError) return "Network error. Please check your connection.";
  if (!(error instanceof ApiError)) return "Login failed. Please check your credentials.";
  if (error.status === 401) return "Invalid credentials";
  if (error.status === 500) return "Server error. Please try again later.";
  return error.message === "" ? "Login failed" : error.message;
}
