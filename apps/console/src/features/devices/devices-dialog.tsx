import { deviceList } from "@suncrew/contract/devices/devices.ts";
import { mayCall } from "@suncrew/domain/auth/permissions.ts";
import { IconCpu } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { routeQuery } from "../../platform/api/route-query.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { useUrlDialog } from "../../platform/url-params.tsx";
import { Dialog, useIsNarrow } from "../../ui/dialog.tsx";
import { FailedPart, lazyPart } from "../../ui/lazy-part.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { deviceNote } from "./device-facts.ts";
import { ToolButton } from "../../ui/tool-button.tsx";

/** The server retries a failed update of the broker within seconds. */
const PENDING_MS = 3_000;

const waiting = <SkeletonLines label="Loading devices" lines={8} lineHeightPx={36} />;
const DevicesContent = lazyPart(async () => (await import("./devices-content.tsx")).DevicesContent, {
  waiting,
  failed: (failure) => <FailedPart title="This dialog could not be loaded." failure={failure} />,
});

/** Prefetches the dialog's data, so that it is there once the dialog opens. */
const preloadDevices = () => void DevicesContent.preload();

/** Where Super Admins provision, allocate and retire devices and rotate their secrets. */
function DevicesDialog({ onClose }: { onClose: () => void }) {
  const isNarrow = useIsNarrow();
  const query = useQuery({
    ...routeQuery(deviceList, {}),
    refetchOnMount: "always",
    refetchInterval: ({ state }) =>
      state.data?.some((device) => deviceNote(device) !== null) === true ? PENDING_MS : false,
  });
  return (
    <Dialog onClose={onClose} title="Devices" size={1120} fullScreenBelow="48em" isColumn>
      <QueryState query={query} loading={waiting} failed="The devices could not be loaded.">
        {(data) => (
          <DevicesContent
            devices={data}
            isNarrow={isNarrow}
            isRefreshing={query.isFetching}
            onRefresh={() => void query.refetch()}
          />
        )}
      </QueryState>
    </Dialog>
  );
}

/** Opens the Devices dialog, which the URL names. For Super Admins only (§6). */
export function DevicesButton() {
  const { role } = useSignedIn();
  const [isShown, show] = useUrlDialog("devices");
  if (!mayCall(role, "deviceList")) return null;
  return (
    <>
      <ToolButton
        icon={IconCpu}
        aria-haspopup="dialog"
        onPointerEnter={preloadDevices}
        onFocus={preloadDevices}
        onClick={() => show(true)}
      >
        Devices
      </ToolButton>
      {isShown && <DevicesDialog onClose={() => show(false)} />}
    </>
  );
}
