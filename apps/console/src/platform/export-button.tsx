import { messageOf } from "./api/errors.ts";
import { Button } from "@mantine/core";
import { IconDownload, IconX } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { DisabledReason } from "../ui/disabled-reason.tsx";
import { toast } from "./toast.tsx";

export interface ExportButtonProps {
  /** What is written on it. */
  readonly label: string;
  /** What is exported, as a sentence begins with it: "The activity log". */
  readonly what: string;
  /** Fetches the file and hands it to the browser. Throws as calls do. */
  readonly save: (signal: AbortSignal) => Promise<void>;
  /** Why there is nothing to export. */
  readonly obstacle: string | null;
}

/** Saves all that the filters leave; a long file can be given up. */
export function ExportButton({ label, what, save, obstacle }: ExportButtonProps) {
  const [isExporting, setExporting] = useState(false);
  const current = useRef<AbortController | null>(null);
  useEffect(() => () => current.current?.abort(), []);
  const begin = async () => {
    const attempt = new AbortController();
    current.current = attempt;
    setExporting(true);
    try {
      await save(attempt.signal);
    } catch (error) {
      if (!attempt.signal.aborted) {
        toast.failure({ title: "Export Failed", message: `${what} could not be exported.`, reason: messageOf(error) });
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
        {label}
      </Button>
    </DisabledReason>
  );
}
