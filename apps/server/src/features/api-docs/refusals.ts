import type { RouteSpec } from "@suncrew/contract/http/route.ts";
import type { RouteName } from "@suncrew/contract/routes.ts";
import type { Permission } from "@suncrew/domain/auth/permissions.ts";

/** What each status of a refused or failed call means, everywhere. */
export const refusalMeanings = {
  400: "Something in the request is not valid; `errors` names the fields.",
  401: "Nobody is signed in: the token is missing, wrong or over.",
  403: "The role does not allow it.",
  404: "It is not there, or not the caller's.",
  409: "It contradicts what is there now: a duplicate, an edit in between, or an order that the server refuses.",
  413: "The request is too large.",
  415: "The body is no JSON.",
  429: "Too many tries; the message tells how long to wait.",
  500: "Something went wrong on the server.",
  502: "The robot said no.",
  503: "A part of the server is not reached: its database or the broker.",
  504: "The robot is away or did not show it in time; `pending` is true where the order waits for it.",
} as const;

export type RefusalStatus = keyof typeof refusalMeanings;

/** Refusals that follow neither from a call's shape nor from its line in the permission table. */
const ownRefusals: Partial<Record<RouteName, readonly RefusalStatus[]>> = {
  login: [401, 429],
  updateRobotSettings: [403],
};

/** The statuses other than success that a call may answer. */
export function refusalsOf(name: RouteName, route: RouteSpec, { access, scope }: Permission): RefusalStatus[] {
  const takesInput = route.params !== undefined || route.query !== undefined || route.body !== undefined;
  const namesRow = route.params !== undefined || !["none", "own", "sites"].includes(scope);
  const changes = route.method !== "GET";
  const found = new Set<RefusalStatus>([500, ...(ownRefusals[name] ?? [])]);
  if (takesInput || changes) found.add(400);
  if (access !== "anyone") found.add(401);
  if (access === "super-admin") found.add(403);
  if (namesRow) found.add(404);
  if (changes && access !== "anyone" && scope !== "own") found.add(409);
  if (changes) found.add(413).add(415);
  if (route.device === true) found.add(502).add(504);
  if (access !== "anyone" || route.body !== undefined || name === "ready") found.add(503);
  return [...found].toSorted((one, other) => one - other);
}
