import { Group, SegmentedControl, UnstyledButton } from "@mantine/core";
import { type Firmware, firmwareList, type Rollout, rolloutList } from "@suncrew/contract/firmware/firmware.ts";
import { IconCloudUpload, IconFileUpload, IconTrash, IconUpload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { routeQuery } from "../../platform/api/route-query.ts";
import { confirm } from "../../platform/confirm/confirm.ts";
import { CopyButton } from "../../platform/copy-button.tsx";
import { QueryState } from "../../platform/query-state.tsx";
import { Dialog, useIsNarrow } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { bytesText } from "./bytes-text.ts";
import { removeFirmware } from "./firmware-calls.ts";
import type { FirmwareDialog } from "./firmware-dialogs.tsx";
import { RolloutBar, RolloutView } from "./rollout-view.tsx";
import { figuresOf, figuresText } from "./rollout-facts.ts";
import { rolloutLook } from "./firmware-looks.ts";
import { RowAction } from "../../ui/row-action.tsx";
import { ToolButton } from "../../ui/tool-button.tsx";
import shared from "../../ui/shared.module.css";
import classes from "./rollouts-dialog.module.css";

export interface RolloutsDialogProps {
  /** Null for the list of all. */
  readonly rolloutId: number | null;
  readonly onShow: (dialog: FirmwareDialog) => void;
  readonly onClose: () => void;
}

/** Firmware: every rollout with its progress, and the files that were uploaded. */
export function RolloutsDialog({ rolloutId, onShow, onClose }: RolloutsDialogProps) {
  const isNarrow = useIsNarrow();
  return (
    <Dialog
      onClose={onClose}

      title="Firmware"
      size={980}
      fullScreenBelow="48em"
      isColumn
    >
      {rolloutId === null ? (
        <Overview isNarrow={isNarrow} onShow={onShow} />
      ) : (
        <RolloutView key={rolloutId} rolloutId={rolloutId} isNarrow={isNarrow} onShow={onShow} />
      )}
    </Dialog>
  );
}

function Overview({ isNarrow, onShow }: { isNarrow: boolean; onShow: (dialog: FirmwareDialog) => void }) {
  const [part, setPart] = useState<"rollouts" | "files">("rollouts");
  const rollouts = useQuery({ ...routeQuery(rolloutList, {}), refetchOnMount: "always" });
  const files = useQuery({ ...routeQuery(firmwareList, {}), refetchOnMount: "always" });
  const loading = <SkeletonLines label="Loading firmware" lines={6} lineHeightPx={48} />;
  return (
    <>
      <Group gap={8} justify="space-between" mb={12}>
        <SegmentedControl
          size="xs"
          aria-label="Show"
          value={part}
          data={[
            { value: "rollouts", label: "Rollouts" },
            { value: "files", label: "Uploaded firmware" },
          ]}
          onChange={(value) => setPart(value === "files" ? "files" : "rollouts")}
        />
        <ToolButton
          icon={IconUpload}
          variant="filled"
          aria-haspopup="dialog"
          onClick={() => onShow({ kind: "deploy" })}
        >
          Deploy Firmware
        </ToolButton>
      </Group>
      {part === "rollouts" ? (
        <QueryState query={rollouts} loading={loading} failed="The rollouts could not be loaded.">
          {(found) => <RolloutList rollouts={found} onOpen={(rolloutId) => onShow({ kind: "rollout", rolloutId })} />}
        </QueryState>
      ) : (
        <QueryState query={files} loading={loading} failed="The firmware could not be loaded.">
          {(found) => <FirmwareFiles files={found} isNarrow={isNarrow} />}
        </QueryState>
      )}
    </>
  );
}

export interface RolloutListProps {
  readonly rollouts: readonly Rollout[];
  readonly onOpen: (rolloutId: number) => void;
}

export function RolloutList({ rollouts, onOpen }: RolloutListProps) {
  if (rollouts.length === 0) {
    return (
      <EmptyState
        title="No firmware deployed yet"
        message="Robots, a file and a version are all it takes: one robot goes first, the others follow in batches."
        icon={<IconCloudUpload size={32} stroke={1.5} />}
      />
    );
  }
  return (
    <ul className={`${shared["card"]} ${classes["rollouts"]}`} aria-label="Rollouts">
      {rollouts.map((rollout) => {
        const figures = figuresOf(rollout);
        return (
          <li key={rollout.id}>
            <UnstyledButton className={`${shared["inset"]} ${classes["rollout"]}`} onClick={() => onOpen(rollout.id)}>
              <span className={classes["what"]}>
                <strong>{rollout.version}</strong>
                <span className={`${shared["muted"]} ${classes["quiet"]}`}>{rollout.file_name}</span>
              </span>
              <StateBadge look={rolloutLook(rollout)} />
              <span className={classes["how"]}>
                <RolloutBar figures={figures} />
                <span className={`${shared["muted"]} ${classes["quiet"]}`}>{figuresText(figures)}</span>
              </span>
              <span className={`${shared["muted"]} ${classes["who"]}`}>
                <RelativeTime at={rollout.created_at} /> by {rollout.created_by}
              </span>
            </UnstyledButton>
          </li>
        );
      })}
    </ul>
  );
}

export function FirmwareFiles({ files, isNarrow }: { files: readonly Firmware[]; isNarrow: boolean }) {
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
        title="No firmware uploaded yet"
        message="A file is uploaded with the first deployment, and can be deployed again from here."
        icon={<IconFileUpload size={32} stroke={1.5} />}
      />
    );
  }
  return (
    <ul className={`${shared["card"]} ${classes["files"]}`} aria-label="Uploaded firmware">
      {files.map((file) => (
        <li key={file.id} className={classes["file"]} aria-label={file.version}>
          <span className={classes["what"]} style={{ "--area": "what" }}>
            <strong>{file.version}</strong>
            <span className={`${shared["muted"]} ${classes["quiet"]}`}>{file.file_name}</span>
          </span>
          <span className={classes["hash"]} style={{ "--area": "hash" }}>
            <span className={`${shared["muted"]} ${classes["quiet"]}`}>SHA-256</span>
            <code className={shared["truncate"]} title={file.sha256}>
              {isNarrow ? file.sha256.slice(0, 24) : file.sha256}
            </code>
            <CopyButton what="SHA-256" text={file.sha256} />
          </span>
          <span style={{ "--area": "size" }}>{bytesText(file.bytes)}</span>
          <span className={`${shared["muted"]} ${classes["quiet"]}`} style={{ "--area": "made" }}>
            <RelativeTime at={file.created_at} /> by {file.created_by}
          </span>
          <RowAction
            label="Delete"
            name={`Delete firmware ${file.version}`}
            icon={IconTrash}
            isDestructive
            isBusy={busy === file.id}
            onPress={() => void remove(file)}
          />
        </li>
      ))}
    </ul>
  );
}
