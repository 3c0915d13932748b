import { Button } from "@mantine/core";
import { mayCall } from "@suncrew/domain/auth/permissions.ts";
import { IconCpu } from "@tabler/icons-react";
import { lazy, Suspense, useCallback } from "react";
import { useSearchParams } from "react-router";
import { useSignedIn } from "../../platform/session/use-session.ts";

const DevicesDialog = lazy(() => import("./devices-dialog.tsx").then((module) => ({ default: module.DevicesDialog })));

const DIALOG = "dialog";
const DEVICES = "devices";

/** Opens the Devices dialog, which stands in the page's address. There for Super Admins only (§6). */
export function DevicesButton() {
  const { role } = useSignedIn();
  const [params, setParams] = useSearchParams();
  const show = useCallback(
    (isShown: boolean) => {
      setParams(
        (current) => {
          const next = new URLSearchParams(current);
          if (isShown) next.set(DIALOG, DEVICES);
          else next.delete(DIALOG);
          return next;
        },
        { replace: !isShown, preventScrollReset: true },
      );
    },
    [setParams],
  );
  if (!mayCall(role, "deviceList")) return null;
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconCpu size={14} aria-hidden />}
        aria-haspopup="dialog"
        onClick={() => show(true)}
      >
        Devices
      </Button>
      {params.get(DIALOG) === DEVICES && (
        <Suspense fallback={null}>
          <DevicesDialog onClose={() => show(false)} />
        </Suspense>
      )}
    </>
  );
}
