import { IconDownload, IconX } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { todayIn } from "../ui/days.ts";
import { DisabledReason } from "../ui/disabled-reason.tsx";
import { readFile } from "./api/call.ts";
import { messageOf } from "./api/errors.ts";
import { saveFile } from "./save-file.ts";
import { ToolButton } from "../ui/tool-button.tsx";
import { toast } from "./toast.tsx";

export interface ExportButtonProps {
  /** Its label. */
  readonly label: string;
  /** What is exported, as the beginning of a sentence: "The activity log". */
  readonly what: string;
  /** Requests the file. Throws as calls do. */
  readonly request: (signal: AbortSignal) => Promise<Response>;
  /** The file is named after this and the day in the browser's time zone, as `<fileName>-2026-06-15.csv`. */
  readonly fileName: string;
  /** Why there is nothing to export. */
  readonly blockedReason: string | null;
}

/** Saves every row that matches the filters, even those not loaded, as a CSV file; the download can be cancelled. */
export function ExportButton({ label, what, request, fileName, blockedReason }: ExportButtonProps) {
  const [isExporting, setExporting] = useState(false);
  const current = useRef<AbortController | null>(null);
  useEffect(() => () => current.current?.abort(), []);
  const begin = async () => {
    const attempt = new AbortController();
    current.current = attempt;
    setExporting(true);
    try {
      const { signal } = attempt;
      saveFile(await readFile(await request(signal), { signal }), `${fileName}-${todayIn(undefined, new Date())}.csv`);
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
      <ToolButton icon={IconX} onClick={() => current.current?.abort()}>
        Cancel export
      </ToolButton>
    );
  }
  return (
    <DisabledReason reason={blockedReason}>
      <ToolButton icon={IconDownload} onClick={() => void begin()}>
        {label}
      </ToolButton>
    </DisabledReason>
  );
}
