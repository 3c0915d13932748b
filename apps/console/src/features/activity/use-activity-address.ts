import { useCallback, useLayoutEffect, useMemo, useRef } from "react";
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
  // The router shows an address a moment after it was asked for: a second change must not undo the first one.
  const latest = useRef(params);
  useLayoutEffect(() => {
    latest.current = params;
  }, [params]);
  const change = useCallback(
    (by: Partial<ActivityAddress>, step: "push" | "replace") => {
      latest.current = changeActivityAddress(latest.current, by);
      setParams(latest.current, { replace: step === "replace", preventScrollReset: true });
    },
    [setParams],
  );
  return { address, change };
}
