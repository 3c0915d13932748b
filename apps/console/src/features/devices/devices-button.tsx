import { Button } from "@mantine/core";
import { mayCall } from "@suncrew/domain/auth/permissions.ts";
import { IconCpu } from "@tabler/icons-react";
import { useUrlDialog } from "../../platform/url-params.tsx";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { DevicesDialog, preloadDevices } from "./devices-dialog.tsx";

/** Opens the Devices dialog, which stands in the page's address. There for Super Admins only (§6). */
export function DevicesButton() {
  const { role } = useSignedIn();
  const [isShown, show] = useUrlDialog("devices");
  if (!mayCall(role, "deviceList")) return null;
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconCpu size={14} aria-hidden />}
        aria-haspopup="dialog"
        onPointerEnter={preloadDevices}
        onFocus={preloadDevices}
        onClick={() => show(true)}
      >
        Devices
      </Button>
      {isShown && <DevicesDialog onClose={() => show(false)} />}
    </>
  );
}
