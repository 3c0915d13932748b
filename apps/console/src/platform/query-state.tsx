import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { FailedState, type FailedStateProps } from "../ui/failed-state.tsx";

export type QueryFailure = Pick<FailedStateProps, "message" | "onRetry" | "retrying">;

interface Loaded<Data> {
  readonly query: Pick<UseQueryResult<Data>, "data" | "error" | "isError" | "isFetching" | "refetch">;
  /** Shown instead of the data while it is loading. */
  readonly loading: ReactNode;
  readonly children: (data: Data) => ReactNode;
}

export type QueryStateProps<Data> = Loaded<Data> &
  (
    | {
        /** The title if it could not be loaded, such as "The sites could not be loaded."; the reason is below it. */
        readonly failed: string;
      }
    /** Shows a failure to load in its own way. */
    | { readonly renderFailed: (failure: QueryFailure) => ReactNode }
  );

/**
 * The state of a query: its data, which stays while it is refetched; otherwise a failure with Retry, or the loading
 * state.
 */
export function QueryState<Data>({ query, loading, children, ...shown }: QueryStateProps<Data>) {
  const { data, error, isError, isFetching } = query;
  if (data !== undefined) return children(data);
  if (!isError) return loading;
  const failure = { message: error?.message, onRetry: () => void query.refetch(), retrying: isFetching };
  return "failed" in shown ? <FailedState title={shown.failed} {...failure} /> : shown.renderFailed(failure);
}
