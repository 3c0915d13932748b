import { acknowledgeAlert, type Alert, alertList } from "@suncrew/contract/alerts/alerts.ts";
import { call } from "../../platform/api/call.ts";
import { change } from "../../platform/api/change.ts";
import { queryKeyOf } from "../../platform/api/route-query.ts";

/** Tells the server that somebody knows of the alert; the lists show it. */
export async function acknowledge(alert: Alert): Promise<void> {
  await change({
    send: () => call(acknowledgeAlert, { params: { alertId: alert.id } }),
    invalidates: [queryKeyOf(alertList)],
    success: null,
    failure: { title: "Not Acknowledged", message: `The alert of ${subjectOf(alert)} was not acknowledged.` },
  });
}

/** Whom an alert is about; what is about neither a robot nor a site is about Suncrew itself. */
export function subjectOf({ serial_number, site_name }: Alert): string {
  return serial_number ?? site_name ?? "Suncrew's servers";
}
