import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { FailedState } from "../ui/failed-state.tsx";

export interface QueryStateProps<Data> {
  readonly query: Pick<UseQueryResult<Data>, "data" | "error" | "isError" | "isFetching" | "refetch">;
  /** In place of the data while it is loaded. */
  readonly loading: ReactNode;
  /** The title where it could not be loaded, such as "The sites could not be loaded."; the reason stands below it. */
  readonly failed: string;
  readonly children: (data: Data) => ReactNode;
}

/** What a query came to: its data, which stays while it is loaded again; else a failure with Retry, or what is loading. */
export function QueryState<Data>({ query, loading, failed, children }: QueryStateProps<Data>) {
  const { data, error, isError, isFetching } = query;
  if (data !== undefined) return children(data);
  if (!isError) return loading;
  return (
    <FailedState title={failed} message={error?.message} onRetry={() => void query.refetch()} retrying={isFetching} />
  );
}
