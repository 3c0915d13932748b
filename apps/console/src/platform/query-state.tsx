import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { FailedState, type FailedStateProps } from "../ui/failed-state.tsx";

export type QueryFailure = Pick<FailedStateProps, "message" | "onRetry" | "retrying">;

interface Loaded<Data> {
  readonly query: Pick<UseQueryResult<Data>, "data" | "error" | "isError" | "isFetching" | "refetch">;
  /** In place of the data while it is loaded. */
  readonly loading: ReactNode;
  readonly children: (data: Data) => ReactNode;
}

export type QueryStateProps<Data> = Loaded<Data> &
  (
    | {
        /** The title where it could not be loaded, such as "The sites could not be loaded."; the reason stands below it. */
        readonly failed: string;
      }
    /** Shows in a form of its own that it could not be loaded. */
    | { readonly renderFailed: (failure: QueryFailure) => ReactNode }
  );

/** What a query came to: its data, which stays while it is loaded again; else a failure with Retry, or what is loading. */
export function QueryState<Data>({ query, loading, children, ...shown }: QueryStateProps<Data>) {
  const { data, error, isError, isFetching } = query;
  if (data !== undefined) return children(data);
  if (!isError) return loading;
  const failure = { message: error?.message, onRetry: () => void query.refetch(), retrying: isFetching };
  return "failed" in shown ? <FailedState title={shown.failed} {...failure} /> : shown.renderFailed(failure);
}
