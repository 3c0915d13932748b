import { Button } from "@mantine/core";
import { mayCall } from "@suncrew/domain/auth/permissions.ts";
import { IconCloudDown, IconUpload } from "@tabler/icons-react";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { useFirmwareAddress } from "./firmware-address.ts";

/** §6: hidden by the restriction flag for who is no Super Admin. `missing` says why it cannot be pressed now. */
export function DeployFirmwareButton({ missing }: { readonly missing: string | null }) {
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
      onClick={() => show({ kind: "list" })}
    >
      Firmware
    </Button>
  );
}
