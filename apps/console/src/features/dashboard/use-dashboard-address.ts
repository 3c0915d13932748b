import { useMediaQuery } from "@mantine/hooks";
import { useCallback, useMemo } from "react";
import { useSearchParams } from "react-router";
import { changeDashboardAddress, readDashboardAddress } from "./dashboard-address.ts";
import type { AddressChange, DashboardAddress } from "./dashboard-address.ts";

export interface AddressedDashboard {
  readonly address: DashboardAddress;
  readonly isMapShown: boolean;
  /** `push` makes a step that back undoes; `replace` does not, as for each letter of a search. */
  readonly change: (change: AddressChange, step: "push" | "replace") => void;
}

/** What of the dashboard stands in its address; on a phone the map is hidden until it is asked for. */
export function useDashboardAddress(): AddressedDashboard {
  const [params, setParams] = useSearchParams();
  const isWide = useMediaQuery("(min-width: 62em)", undefined, { getInitialValueInEffect: false });
  const address = useMemo(() => readDashboardAddress(params), [params]);
  const change = useCallback(
    (by: AddressChange, step: "push" | "replace") => {
      setParams((current) => changeDashboardAddress(current, by), {
        replace: step === "replace",
        preventScrollReset: true,
      });
    },
    [setParams],
  );
  return { address, isMapShown: address.isMapShown ?? isWide ?? true, change };
}
