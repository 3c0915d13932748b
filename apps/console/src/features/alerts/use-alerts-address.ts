import { useCallback, useMemo } from "react";
import { useSearchParams } from "react-router";
import { type AlertsAddress, changeAlertsAddress, readAlertsAddress } from "./alerts-address.ts";

export interface AddressedAlerts {
  readonly address: AlertsAddress;
  /** `push` makes a step that back undoes. */
  readonly change: (change: Partial<AlertsAddress>, step: "push" | "replace") => void;
}

/** The list of alerts, kept in the address. */
export function useAlertsAddress(): AddressedAlerts {
  const [params, setParams] = useSearchParams();
  const address = useMemo(() => readAlertsAddress(params), [params]);
  const change = useCallback(
    (by: Partial<AlertsAddress>, step: "push" | "replace") => {
      setParams((current) => changeAlertsAddress(current, by), {
        replace: step === "replace",
        preventScrollReset: true,
      });
    },
    [setParams],
  );
  return { address, change };
}
