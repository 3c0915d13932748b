import { Button, SegmentedControl } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { firmwareList, rolloutList } from "@suncrew/contract/firmware/firmware.ts";
import { IconUpload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { routeQuery } from "../../platform/api/route-query.ts";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { FirmwareFiles } from "./firmware-files.tsx";
import type { FirmwareDialog } from "./firmware-address.ts";
import { RolloutList } from "./rollout-list.tsx";
import { RolloutView } from "./rollout-view.tsx";
import classes from "./rollouts-dialog.module.css";
import { Dialog } from "../../ui/dialog.tsx";
import { QueryState } from "../../platform/query-state.tsx";

export interface RolloutsDialogProps {
  /** Null for the list of all. */
  readonly rolloutId: number | null;
  readonly onShow: (dialog: FirmwareDialog) => void;
  readonly onClose: () => void;
}

/** Firmware: every rollout with its progress, and the files that were uploaded. */
export function RolloutsDialog({ rolloutId, onShow, onClose }: RolloutsDialogProps) {
  const isNarrow = useMediaQuery("(max-width: 48em)", undefined, { getInitialValueInEffect: false }) ?? false;
  return (
    <Dialog
      onClose={onClose}

      title="Firmware"
      size={980}
      fullScreenBelow="48em"
      classNames={{ body: classes["body"] ?? "", content: classes["content"] ?? "" }}
    >
      {rolloutId === null ? (
        <Overview isNarrow={isNarrow} onShow={onShow} />
      ) : (
        <RolloutView key={rolloutId} rolloutId={rolloutId} isNarrow={isNarrow} onShow={onShow} />
      )}
    </Dialog>
  );
}

interface OverviewProps {
  readonly isNarrow: boolean;
  readonly onShow: (dialog: FirmwareDialog) => void;
}

function Overview({ isNarrow, onShow }: OverviewProps) {
  const [part, setPart] = useState<"rollouts" | "files">("rollouts");
  const rollouts = useQuery({ ...routeQuery(rolloutList, {}), refetchOnMount: "always" });
  const files = useQuery({ ...routeQuery(firmwareList, {}), refetchOnMount: "always" });
  const loading = <SkeletonLines label="Loading firmware" lines={6} lineHeightPx={48} />;
  return (
    <>
      <div className={classes["head"]}>
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
        <Button
          size="xs"
          leftSection={<IconUpload size={14} aria-hidden />}
          aria-haspopup="dialog"
          onClick={() => onShow({ kind: "deploy" })}
        >
          Deploy Firmware
        </Button>
      </div>
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
