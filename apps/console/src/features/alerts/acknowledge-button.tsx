import { Button } from "@mantine/core";
import { acknowledgeAlert, type Alert, alertList } from "@suncrew/contract/alerts/alerts.ts";
import { useState } from "react";
import { call } from "../../platform/api/call.ts";
import { change } from "../../platform/api/change.ts";
import { queryKeyOf } from "../../platform/api/route-query.ts";

/** Says that somebody knows of the alert. */
export function AcknowledgeButton({ alert }: { readonly alert: Alert }) {
  const [isBusy, setBusy] = useState(false);
  const press = async () => {
    setBusy(true);
    await acknowledge(alert);
    setBusy(false);
  };
  return (
    <Button
      size="compact-xs"
      variant="default"
      h={28}
      loading={isBusy}
      aria-label={`Acknowledge: ${subjectOf(alert)}, ${alert.text}`}
      onClick={() => void press()}
    >
      Acknowledge
    </Button>
  );
}

/** Tells the server that somebody knows of the alert; the lists show it. */
async function acknowledge(alert: Alert): Promise<void> {
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
