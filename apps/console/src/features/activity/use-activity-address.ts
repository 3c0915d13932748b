import { useCallback, useMemo } from "react";
import { type HistoryMode, useUrlParams } from "../../platform/url-params.tsx";
import { changeActivityAddress, readActivityAddress } from "./activity-address.ts";
import type { ActivityAddress } from "./activity-address.ts";

export interface AddressedActivity {
  readonly address: ActivityAddress;
  readonly change: (change: Partial<ActivityAddress>, step: HistoryMode) => void;
}

/** The filters of the activity log, kept in its address. */
export function useActivityAddress(): AddressedActivity {
  const [params, changeParams] = useUrlParams();
  const address = useMemo(() => readActivityAddress(params), [params]);
  const change = useCallback(
    (by: Partial<ActivityAddress>, step: HistoryMode) => changeParams((now) => changeActivityAddress(now, by), step),
    [changeParams],
  );
  return { address, change };
}
