import { useCallback, useMemo } from "react";
import { type HistoryMode, useUrlParams } from "../../platform/url-params.tsx";
import { type AlertsAddress, changeAlertsAddress, readAlertsAddress } from "./alerts-address.ts";

export interface AddressedAlerts {
  readonly address: AlertsAddress;
  readonly change: (change: Partial<AlertsAddress>, step: HistoryMode) => void;
}

/** The list of alerts, kept in the address. */
export function useAlertsAddress(): AddressedAlerts {
  const [params, changeParams] = useUrlParams();
  const address = useMemo(() => readAlertsAddress(params), [params]);
  const change = useCallback(
    (by: Partial<AlertsAddress>, step: HistoryMode) => changeParams((now) => changeAlertsAddress(now, by), step),
    [changeParams],
  );
  return { address, change };
}
