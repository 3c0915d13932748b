import type { Alert } from "@suncrew/contract/alerts/alerts.ts";
import { useCallback } from "react";
import { useUrlParams } from "../../platform/url-params.tsx";
import { ALERTS_CLOSED, changeAlertsAddress } from "../alerts/public.ts";
import { changeDashboardAddress } from "./dashboard-address.ts";

/** Shows the robots of the site that an alert is about, in one step that back undoes. */
export function useAlertSubject(): (alert: Alert) => void {
  const [, change] = useUrlParams();
  return useCallback(
    ({ site_id: siteId }: Alert) => {
      if (siteId === null) return;
      change(
        (current) =>
          changeAlertsAddress(changeDashboardAddress(current, { siteId, tab: "robots", figure: null }), ALERTS_CLOSED),
        "push",
      );
    },
    [change],
  );
}
