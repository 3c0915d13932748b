import { HttpError } from "../../platform/http/http-error.ts";
import type { RobotConflict } from "./robot-conflicts.repository.ts";

/** The answer to a form with these conflicts, each at its field; null where there is none. */
export function refusedForm(conflicts: readonly RobotConflict[]): HttpError | null {
  const [first] = conflicts;
  if (first === undefined) return null;
  // What is wrong by itself is told as such, also where something else is taken.
  const status = conflicts.some((conflict) => conflict.status === 400) ? 400 : 409;
  const message = conflicts.map((conflict) => conflict.message).join(" ");
  return new HttpError(status, message, {
    errors: conflicts.map(({ field, message: said }) => ({ field, message: said })),
  });
}
