import { mayCall } from "@suncrew/domain/auth/permissions.ts";
import { IconCloudDown, IconUpload } from "@tabler/icons-react";
import { useCallback } from "react";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { type HistoryMode, useUrlParams } from "../../platform/url-params.tsx";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { ToolButton } from "../../ui/tool-button.tsx";
import { lazyDialog } from "../../ui/lazy-dialog.tsx";
import type { DeployDialogProps } from "./deploy-dialog.tsx";

/** The firmware dialogs, whose code is loaded when one is opened or about to be. */
const DeployDialog = lazyDialog(
  () => "Deploy Firmware",
  async () => (await import("./deploy-dialog.tsx")).DeployDialog,
);
const RolloutsDialog = lazyDialog(
  () => "Firmware",
  async () => (await import("./rollouts-dialog.tsx")).RolloutsDialog,
);

/** The firmware dialog named by the URL. For Super Admins only (§6). */
export function FirmwareDialogs({ siteId, robotIds }: Pick<DeployDialogProps, "siteId" | "robotIds">) {
  const { role } = useSignedIn();
  const { dialog, show } = useFirmwareAddress();
  if (dialog === null || !mayCall(role, "createRollout")) return null;
  return dialog.kind === "deploy" ? (
    <DeployDialog
      siteId={siteId}
      {...(robotIds !== undefined && { robotIds })}
      onRollouts={() => show({ kind: "list" })}
      onStarted={(rolloutId) => show({ kind: "rollout", rolloutId }, "replace")}
      onClose={() => show(null)}
    />
  ) : (
    <RolloutsDialog
      rolloutId={dialog.kind === "rollout" ? dialog.rolloutId : null}
      onShow={show}
      onClose={() => show(null)}
    />
  );
}

interface DeployFirmwareButtonProps {
  /** Why it cannot be pressed now; null if it can. */
  readonly missing: string | null;
  readonly className?: string | undefined;
}

/** §6: hidden by the restriction flag for everybody but Super Admins. */
export function DeployFirmwareButton({ missing, className }: DeployFirmwareButtonProps) {
  const { role } = useSignedIn();
  const { show } = useFirmwareAddress();
  if (!mayCall(role, "createRollout")) return null;
  return (
    <DisabledReason reason={missing}>
      <ToolButton
        icon={IconUpload}
        aria-haspopup="dialog"
        className={className ?? ""}
        onPointerEnter={() => void DeployDialog.preload()}
        onFocus={() => void DeployDialog.preload()}
        onClick={() => show({ kind: "deploy" })}
      >
        Deploy Firmware
      </ToolButton>
    </DisabledReason>
  );
}

/** Opens the rollouts and the uploaded firmware. */
export function FirmwareButton() {
  const { role } = useSignedIn();
  const { show } = useFirmwareAddress();
  if (!mayCall(role, "rolloutList")) return null;
  return (
    <ToolButton
      icon={IconCloudDown}
      aria-haspopup="dialog"
      onPointerEnter={() => void RolloutsDialog.preload()}
      onFocus={() => void RolloutsDialog.preload()}
      onClick={() => show({ kind: "list" })}
    >
      Firmware
    </ToolButton>
  );
}

/** Which firmware dialog the URL names. */
export type FirmwareDialog =
  | { readonly kind: "deploy" }
  | { readonly kind: "list" }
  | { readonly kind: "rollout"; readonly rolloutId: number };

const DIALOG = "dialog";
const ROLLOUT = "rollout";

function readFirmwareAddress(params: URLSearchParams): FirmwareDialog | null {
  const dialog = params.get(DIALOG);
  if (dialog === "deploy-firmware") return { kind: "deploy" };
  if (dialog !== "firmware") return null;
  const rollout = params.get(ROLLOUT) ?? "";
  return /^[1-9]\d{0,9}$/.test(rollout) ? { kind: "rollout", rolloutId: Number(rollout) } : { kind: "list" };
}

/** The URL with another firmware dialog, or none; other parameters are kept. */
function changeFirmwareAddress(params: URLSearchParams, dialog: FirmwareDialog | null): URLSearchParams {
  const next = new URLSearchParams(params);
  next.delete(ROLLOUT);
  if (dialog === null) next.delete(DIALOG);
  else next.set(DIALOG, dialog.kind === "deploy" ? "deploy-firmware" : "firmware");
  if (dialog?.kind === "rollout") next.set(ROLLOUT, String(dialog.rolloutId));
  return next;
}

function useFirmwareAddress() {
  const [params, change] = useUrlParams();
  const show = useCallback(
    (dialog: FirmwareDialog | null, step: HistoryMode = dialog === null ? "replace" : "push") => {
      change((current) => changeFirmwareAddress(current, dialog), step);
    },
    [change],
  );
  return { dialog: readFirmwareAddress(params), show };
}
