import { Button } from "@mantine/core";
import { acknowledgeAlert, type Alert, alertList } from "@suncrew/contract/alerts/alerts.ts";
import { call } from "../../platform/api/call.ts";
import { change } from "../../platform/api/change.ts";
import { useBusy } from "../../ui/use-busy.ts";
import { queryKeyOf } from "../../platform/api/route-query.ts";

export function AcknowledgeButton({ alert }: { readonly alert: Alert }) {
  const [isBusy, run] = useBusy();
  return (
    <Button
      size="compact-xs"
      variant="default"
      h={28}
      loading={isBusy}
      aria-label={`Acknowledge: ${subjectOf(alert)}, ${alert.text}`}
      onClick={() => void run(() => acknowledge(alert))}
    >
      Acknowledge
    </Button>
  );
}

async function acknowledge(alert: Alert): Promise<void> {
  await change({
    send: () => call(acknowledgeAlert, { params: { alertId: alert.id } }),
    invalidates: [queryKeyOf(alertList)],
    success: null,
    failure: { title: "Not Acknowledged", message: `The alert of ${subjectOf(alert)} was not acknowledged.` },
  });
}

/** The robot or site an alert is about; one with neither is about Suncrew's own servers. */
export function subjectOf({ serial_number, site_name }: Alert): string {
  return serial_number ?? site_name ?? "Suncrew's servers";
}
