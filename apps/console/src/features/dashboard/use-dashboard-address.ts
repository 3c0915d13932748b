import { useMediaQuery } from "@mantine/hooks";
import { useCallback, useMemo } from "react";
import { type AddressStep, useAddress } from "../../platform/address.tsx";
import { changeDashboardAddress, readDashboardAddress } from "./dashboard-address.ts";
import type { AddressChange, DashboardAddress } from "./dashboard-address.ts";

export interface AddressedDashboard {
  readonly address: DashboardAddress;
  readonly isMapShown: boolean;
  readonly change: (change: AddressChange, step: AddressStep) => void;
}

/** What of the dashboard stands in its address; on a phone the map is hidden until it is asked for. */
export function useDashboardAddress(): AddressedDashboard {
  const [params, changeParams] = useAddress();
  const isWide = useMediaQuery("(min-width: 62em)", undefined, { getInitialValueInEffect: false });
  const address = useMemo(() => readDashboardAddress(params), [params]);
  const change = useCallback(
    (by: AddressChange, step: AddressStep) => changeParams((now) => changeDashboardAddress(now, by), step),
    [changeParams],
  );
  return { address, isMapShown: address.isMapShown ?? isWide ?? true, change };
}
