import { ActionIcon, Tooltip } from "@mantine/core";
import type { Firmware } from "@suncrew/contract/firmware/firmware.ts";
import { IconFileUpload, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { confirm } from "../../platform/confirm/confirm.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { CopyButton } from "../../platform/copy-button.tsx";
import { bytesText } from "./bytes-text.ts";
import { removeFirmware } from "./firmware-calls.ts";
import classes from "./rollouts-dialog.module.css";

export interface FirmwareFilesProps {
  readonly files: readonly Firmware[];
  readonly isNarrow: boolean;
}

/** What was uploaded: version, checksum, size, by whom. */
export function FirmwareFiles({ files, isNarrow }: FirmwareFilesProps) {
  const [busy, setBusy] = useState<number | null>(null);
  const remove = async (file: Firmware) => {
    if (busy !== null) return;
    const isSure = await confirm({
      title: "Delete Firmware",
      message: `Firmware ${file.version} (${file.file_name}) is deleted. Robots that run it keep it.`,
      confirmLabel: "Delete",
      destructive: true,
    });
    if (!isSure) return;
    setBusy(file.id);
    await removeFirmware(file);
    setBusy(null);
  };
  if (files.length === 0) {
    return (
      <EmptyState
        title="No firmware was uploaded yet."
        message="A file is uploaded with the first deployment, and can be deployed again from here."
        icon={<IconFileUpload size={32} stroke={1.5} />}
      />
    );
  }
  return (
    <ul className={classes["files"]} aria-label="Uploaded firmware">
      {files.map((file) => (
        <li key={file.id} className={classes["file"]} aria-label={file.version}>
          <span className={classes["what"]}>
            <strong>{file.version}</strong>
            <span className={classes["quiet"]}>{file.file_name}</span>
          </span>
          <span className={classes["hash"]}>
            <span className={classes["quiet"]}>SHA-256</span>
            <code title={file.sha256}>{isNarrow ? file.sha256.slice(0, 24) : file.sha256}</code>
            <CopyButton what="SHA-256" text={file.sha256} />
          </span>
          <span>{bytesText(file.bytes)}</span>
          <span className={classes["quiet"]}>
            <RelativeTime at={file.created_at} /> by {file.created_by}
          </span>
          <Tooltip label="Delete">
            <ActionIcon
              variant="subtle"
              color="red"
              size={34}
              aria-label={`Delete firmware ${file.version}`}
              loading={busy === file.id}
              onClick={() => void remove(file)}
            >
              <IconTrash size={17} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </li>
      ))}
    </ul>
  );
}
