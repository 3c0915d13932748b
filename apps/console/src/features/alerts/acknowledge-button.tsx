import { Button } from "@mantine/core";
import type { Alert } from "@suncrew/contract/alerts/alerts.ts";
import { useState } from "react";
import { acknowledge, subjectOf } from "./acknowledge.ts";

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
