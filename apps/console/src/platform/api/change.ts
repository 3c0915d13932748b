import type { FieldError } from "@suncrew/contract/http/error.ts";
import type { QueryKey } from "@tanstack/react-query";
import { type Toast, toast } from "../toast.tsx";
import { ApiError, isEditConflict, serverReason, TokenExpiredError } from "./errors.ts";
import { queryClient } from "./query-client.ts";

/** A call that changes something on the server, and how its outcome is shown. */
export interface Change<T> {
  readonly send: () => Promise<T>;
  /** Cached answers that are stale afterwards; also after a failure, because somebody else may have been faster. */
  readonly invalidates?: readonly QueryKey[];
  /** Runs as soon as the call has succeeded, before anything is refetched: updates what is cached. */
  readonly onDone?: (answer: T) => unknown;
  /** Null shows nothing: the page itself shows it. */
  readonly success: Toast | null | ((answer: T) => Toast | null);
  /** The server's reason is added as the second line. Null shows nothing: the form itself shows it. */
  readonly failure: Toast | null | ((error: unknown) => Toast | null);
  /** The second line of a failure; the server's own message unless given. */
  readonly reasonOf?: (error: unknown) => string | undefined;
  /** True if a form shows what somebody else saved first; otherwise that is a failure like any other. */
  readonly hasConflictForm?: boolean;
}

/** How a change ended. Nothing is stored unless it is done. */
export type Changed<T> =
  | { readonly kind: "done"; readonly answer: T }
  /** Somebody else saved the same row since the edit began; the newest version has been read. */
  | { readonly kind: "conflict" }
  /** `problems` are the fields that the server rejects; also if the session has ended, which is shown separately. */
  | { readonly kind: "refused"; readonly error: unknown; readonly problems: readonly FieldError[] };

/** Makes a change, refetches what became stale, and shows the outcome in a toast. Never throws. */
export async function change<T>({
  send,
  invalidates = [],
  onDone,
  success,
  failure,
  reasonOf = serverReason,
  hasConflictForm = false,
}: Change<T>): Promise<Changed<T>> {
  try {
    const answer = await send();
    await onDone?.(answer);
    await invalidate(invalidates);
    const content = typeof success === "function" ? success(answer) : success;
    if (content !== null) toast.success(content);
    return { kind: "done", answer };
  } catch (error) {
    const refused = { kind: "refused", error, problems: error instanceof ApiError ? error.errors : [] } as const;
    if (error instanceof TokenExpiredError) return refused;
    const refreshed = invalidate(invalidates);
    if (hasConflictForm && isEditConflict(error)) {
      await refreshed;
      return { kind: "conflict" };
    }
    const content = typeof failure === "function" ? failure(error) : failure;
    if (content !== null) toast.failure({ reason: reasonOf(error), ...content });
    return refused;
  }
}

/** Refetches these on the pages that show them; the page itself shows a failure of that. */
export async function invalidate(queryKeys: readonly QueryKey[]): Promise<void> {
  await Promise.all(queryKeys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}

/** Why something was not done. */
export interface Refusal {
  /** Whole sentences. */
  readonly reason: string;
  /** False if the server decided against it: the same call would be refused again. */
  readonly mayRetry: boolean;
}

/** `failure` is what is shown if the server gave no reason. */
export function refusalOf(error: unknown, failure: string): Refusal {
  // Too many requests (429) are refused only for a moment.
  const isDecided = error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;
  return { reason: serverReason(error) ?? failure, mayRetry: !isDecided };
}

/** For a dialog that asks before deleting something: null if it is deleted, otherwise why it is not. */
export function refusalIn(changed: Changed<unknown>, failure: string): Refusal | null {
  if (changed.kind === "conflict") return { reason: failure, mayRetry: true };
  if (changed.kind === "done" || changed.error instanceof TokenExpiredError) return null;
  return refusalOf(changed.error, failure);
}
