import { acknowledgeAlert, type Alert, alertList } from "@suncrew/contract/alerts/alerts.ts";
import { call } from "../../platform/api/call.ts";
import { serverReason, TokenExpiredError } from "../../platform/api/errors.ts";
import { queryClient } from "../../platform/api/query-client.ts";
import { queryKeyOf } from "../../platform/api/route-query.ts";
import { toast } from "../../platform/toast.tsx";

/** Tells the server that somebody knows of the alert; what came of it is seen in the lists. Never throws. */
export async function acknowledge(alert: Alert): Promise<void> {
  try {
    await call(acknowledgeAlert, { params: { alertId: alert.id } });
  } catch (error) {
    if (error instanceof TokenExpiredError) return;
    toast.failure({
      title: "Not Acknowledged",
      message: `The alert of ${subjectOf(alert)} was not acknowledged.`,
      reason: serverReason(error),
    });
  }
  await queryClient.invalidateQueries({ queryKey: queryKeyOf(alertList) });
}

/** Whom an alert is about; what is about neither a robot nor a site is about Suncrew itself. */
export function subjectOf({ serial_number, site_name }: Alert): string {
  return serial_number ?? site_name ?? "Suncrew's servers";
}
