import { useCallback, useMemo } from "react";
import { useSearchParams } from "react-router";
import { changeActivityAddress, readActivityAddress } from "./activity-address.ts";
import type { ActivityAddress } from "./activity-address.ts";

export interface AddressedActivity {
  readonly address: ActivityAddress;
  /** `push` makes a step that back undoes; `replace` does not, as for each letter of a search. */
  readonly change: (change: Partial<ActivityAddress>, step: "push" | "replace") => void;
}

/** The filters of the activity log, kept in its address. */
export function useActivityAddress(): AddressedActivity {
  const [params, setParams] = useSearchParams();
  const address = useMemo(() => readActivityAddress(params), [params]);
  const change = useCallback(
    (by: Partial<ActivityAddress>, step: "push" | "replace") => {
      setParams((current) => changeActivityAddress(current, by), {
        replace: step === "replace",
        preventScrollReset: true,
      });
    },
    [setParams],
  );
  return { address, change };
}
