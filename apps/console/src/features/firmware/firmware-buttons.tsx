import { Button } from "@mantine/core";
import { mayCall } from "@suncrew/domain/auth/permissions.ts";
import { IconCloudDown, IconUpload } from "@tabler/icons-react";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { DeployDialog, RolloutsDialog } from "./firmware-code.ts";
import { useFirmwareAddress } from "./firmware-address.ts";

export interface DeployFirmwareButtonProps {
  /** Why it cannot be pressed now; null where it can. */
  readonly missing: string | null;
  readonly className?: string | undefined;
}

/** §6: hidden by the restriction flag for who is no Super Admin. */
export function DeployFirmwareButton({ missing, className }: DeployFirmwareButtonProps) {
  const { role } = useSignedIn();
  const { show } = useFirmwareAddress();
  if (!mayCall(role, "createRollout")) return null;
  return (
    <DisabledReason reason={missing}>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconUpload size={14} aria-hidden />}
        aria-haspopup="dialog"
        className={className ?? ""}
        onPointerEnter={() => void DeployDialog.preload()}
        onFocus={() => void DeployDialog.preload()}
        onClick={() => show({ kind: "deploy" })}
      >
        Deploy Firmware
      </Button>
    </DisabledReason>
  );
}

/** Opens the rollouts and the uploaded firmware. */
export function FirmwareButton() {
  const { role } = useSignedIn();
  const { show } = useFirmwareAddress();
  if (!mayCall(role, "rolloutList")) return null;
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<IconCloudDown size={14} aria-hidden />}
      aria-haspopup="dialog"
      onPointerEnter={() => void RolloutsDialog.preload()}
      onFocus={() => void RolloutsDialog.preload()}
      onClick={() => show({ kind: "list" })}
    >
      Firmware
    </Button>
  );
}
