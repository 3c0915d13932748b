import { useMediaQuery } from "@mantine/hooks";
import { useCallback, useMemo } from "react";
import { type HistoryMode, useUrlParams } from "../../platform/url-params.tsx";
import { changeDashboardAddress, readDashboardAddress } from "./dashboard-address.ts";
import type { AddressChange, DashboardAddress } from "./dashboard-address.ts";

export interface AddressedDashboard {
  readonly address: DashboardAddress;
  readonly isMapShown: boolean;
  /** A change, or what makes one of the address that was asked for last. */
  readonly change: (change: AddressChange | ((now: DashboardAddress) => AddressChange), step: HistoryMode) => void;
}

/** What of the dashboard stands in its address; on a phone the map is hidden until it is asked for. */
export function useDashboardAddress(): AddressedDashboard {
  const [params, changeParams] = useUrlParams();
  const isWide = useMediaQuery("(min-width: 62em)", undefined, { getInitialValueInEffect: false });
  const address = useMemo(() => readDashboardAddress(params), [params]);
  const change = useCallback<AddressedDashboard["change"]>(
    (by, step) =>
      changeParams((now) => {
        const wanted = typeof by === "function" ? by(readDashboardAddress(now)) : by;
        return changeDashboardAddress(now, wanted);
      }, step),
    [changeParams],
  );
  return { address, isMapShown: address.isMapShown ?? isWide ?? true, change };
}
