import { Button, Group } from "@mantine/core";
import { IconFileTypeCsv, IconFileTypePdf, IconX } from "@tabler/icons-react";
import { useRef } from "react";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import type { useDownload } from "./use-download.ts";
import classes from "./site-reports.module.css";

const MAKING = "The report is being made.";

export interface DownloadButtonsProps {
  readonly download: ReturnType<typeof useDownload>;
  /** Why nothing can be downloaded now; null where it can. */
  readonly obstacle: string | null;
  readonly pdfObstacle: string | null;
  readonly onCsv: () => void;
}

/** §4 Report download: the buttons, and how far it is. The PDF's submits the form. */
export function DownloadButtons({ download, obstacle, pdfObstacle, onCsv }: DownloadButtonsProps) {
  const pdf = useRef<HTMLButtonElement>(null);
  const { busy, bytes, saved } = download;
  const cancel = () => {
    download.cancel();
    // The button that was pressed goes away.
    pdf.current?.focus();
  };
  return (
    <Group gap={8}>
      <DisabledReason reason={busy === null ? pdfObstacle : MAKING}>
        <Button ref={pdf} type="submit" leftSection={<IconFileTypePdf size={16} aria-hidden />}>
          {busy === "pdf" ? "Generating..." : "Download"}
        </Button>
      </DisabledReason>
      <DisabledReason reason={busy === null ? obstacle : MAKING}>
        <Button variant="default" leftSection={<IconFileTypeCsv size={16} aria-hidden />} onClick={onCsv}>
          {busy === "csv" ? "Generating..." : "Download CSV"}
        </Button>
      </DisabledReason>
      {busy !== null && (
        <Button variant="subtle" leftSection={<IconX size={16} aria-hidden />} onClick={cancel}>
          Cancel
        </Button>
      )}
      <span className={classes["progress"]} role="status">
        {busy !== null && bytes > 0 && `${Math.ceil(bytes / 1024).toLocaleString("en")} kB received`}
        {saved !== null && `${saved} has been downloaded.`}
      </span>
    </Group>
  );
}
