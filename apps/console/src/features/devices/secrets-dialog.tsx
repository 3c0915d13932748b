import { Box, Button, Group } from "@mantine/core";
import type { DeviceSecret } from "@suncrew/contract/devices/devices.ts";
import { writeCsv } from "@suncrew/domain/csv/csv.ts";
import { IconCopy, IconDownload } from "@tabler/icons-react";
import { useState } from "react";
import { confirm } from "../../platform/confirm/confirm.ts";
import { saveFile } from "../../platform/save-file.ts";
import { toast } from "../../platform/toast.tsx";
import { CopyButton, copyText } from "../../platform/copy-button.tsx";
import { VirtualList } from "../../ui/virtual-list.tsx";
import type { NewSecrets } from "./device-calls.ts";
import shared from "../../ui/shared.module.css";
import classes from "./secrets-dialog.module.css";
import { ShownOnce } from "../../ui/shown-once.tsx";
import { Dialog } from "../../ui/dialog.tsx";

const ROW_PX = 44;
const MAX_ROWS = 7;

/** Secrets that were just issued, to be copied or downloaded now: they cannot be shown again. */
export function SecretsDialog({ issued: { message, secrets }, onClose }: { issued: NewSecrets; onClose: () => void }) {
  const [isSaved, setSaved] = useState(false);

  const close = async () => {
    if (isSaved || (await confirm(closeQuestion(secrets)))) onClose();
  };
  const copyAll = async () => {
    const what = secrets.length === 1 ? "Secret" : "Secrets";
    if (await copyText(secrets.map(({ serial, secret }) => `${serial}\t${secret}`).join("\n"))) {
      setSaved(true);
      toast.copied(what);
    } else toast.failure({ title: "Not Copied", message: `${what} could not be copied. Download the file instead.` });
  };
  const download = () => {
    const rows = secrets.map(({ serial, secret }) => [serial, secret]);
    saveFile(new Blob([writeCsv(["serial_number", "secret"], rows)], { type: "text/csv" }), fileName(secrets));
    setSaved(true);
  };

  return (
    <Dialog onClose={() => void close()} title={secrets.length === 1 ? "Device Secret" : "Device Secrets"} size={640}>
      <ShownOnce message={message}>
        Suncrew keeps no copy of a secret. Copy or download {secrets.length === 1 ? "it" : "them"} before you close
        this: after that only a new secret can be issued.
      </ShownOnce>
      <VirtualList
        label="Secrets"
        items={secrets}
        keyOf={({ serial }) => serial}
        rowPx={ROW_PX}
        maxRows={MAX_ROWS}
        className={classes["scroll"]}
        rowClassName={classes["row"]}
      >
        {({ serial, secret }) => (
          <>
            <Box component="span" fw={600} style={{ whiteSpace: "nowrap" }}>
              {serial}
            </Box>
            <code className={`${shared["truncate"]} ${classes["secret"]}`}>{secret}</code>
            {secrets.length > 1 && <CopyButton what={`Secret of ${serial}`} text={secret} />}
          </>
        )}
      </VirtualList>
      <Group justify="space-between" mt="md" gap="xs">
        <Group gap="xs">
          <Button variant="default" leftSection={<IconCopy size={16} aria-hidden />} onClick={() => void copyAll()}>
            {secrets.length === 1 ? "Copy" : "Copy all"}
          </Button>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            data-autofocus
            onClick={download}
          >
            Download CSV
          </Button>
        </Group>
        <Button ml="auto" onClick={() => void close()}>
          Done
        </Button>
      </Group>
    </Dialog>
  );
}

function fileName(secrets: readonly DeviceSecret[]): string {
  const [first, last] = [secrets[0]?.serial, secrets.at(-1)?.serial];
  return secrets.length === 1 ? `device-${first}.csv` : `devices-${first}-to-${last}.csv`;
}

function closeQuestion(secrets: readonly DeviceSecret[]) {
  const what = secrets.length === 1 ? "The secret was" : `The ${secrets.length.toLocaleString("en-GB")} secrets were`;
  return {
    title: "Close Without Saving",
    message: `${what} neither copied nor downloaded, and cannot be shown again.`,
    confirmLabel: "Close",
    cancelLabel: "Go back",
    destructive: true,
  };
}
