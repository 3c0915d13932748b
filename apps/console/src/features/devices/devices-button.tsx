import { Button } from "@mantine/core";
import { mayCall } from "@suncrew/domain/auth/permissions.ts";
import { IconCpu } from "@tabler/icons-react";
import { useCallback } from "react";
import { useAddress } from "../../platform/address.tsx";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { DevicesDialog, preloadDevices } from "./devices-dialog.tsx";

const DIALOG = "dialog";
const DEVICES = "devices";

/** Opens the Devices dialog, which stands in the page's address. There for Super Admins only (§6). */
export function DevicesButton() {
  const { role } = useSignedIn();
  const [params, change] = useAddress();
  const show = useCallback(
    (isShown: boolean) => {
      change(
        (current) => {
          const next = new URLSearchParams(current);
          if (isShown) next.set(DIALOG, DEVICES);
          else next.delete(DIALOG);
          return next;
        },
        isShown ? "push" : "replace",
      );
    },
    [change],
  );
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
      {params.get(DIALOG) === DEVICES && <DevicesDialog onClose={() => show(false)} />}
    </>
  );
}
