import { Button } from "@mantine/core";
import type { ActivityFilter } from "@suncrew/contract/activity/activity.ts";
import { IconDownload, IconX } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { toast } from "../../platform/toast.tsx";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { saveActivity } from "./export-activity.ts";

export interface ExportButtonProps {
  readonly filter: ActivityFilter;
  /** Why there is nothing to export. */
  readonly obstacle: string | null;
}

/** Saves all that the filters leave; a long file can be given up. */
export function ExportButton({ filter, obstacle }: ExportButtonProps) {
  const [isExporting, setExporting] = useState(false);
  const current = useRef<AbortController | null>(null);
  useEffect(() => () => current.current?.abort(), []);
  const begin = async () => {
    const attempt = new AbortController();
    current.current = attempt;
    setExporting(true);
    try {
      await saveActivity(filter, attempt.signal);
    } catch (error) {
      if (!attempt.signal.aborted) {
        const reason = error instanceof Error ? error.message : undefined;
        toast.failure({ title: "Export Failed", message: "The activity log could not be exported.", reason });
      }
    } finally {
      if (current.current === attempt) setExporting(false);
    }
  };
  if (isExporting) {
    return (
      <Button
        size="xs"
        variant="default"
        leftSection={<IconX size={14} aria-hidden />}
        onClick={() => current.current?.abort()}
      >
        Cancel export
      </Button>
    );
  }
  return (
    <DisabledReason reason={obstacle}>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconDownload size={14} aria-hidden />}
        onClick={() => void begin()}
      >
        Export
      </Button>
    </DisabledReason>
  );
}
