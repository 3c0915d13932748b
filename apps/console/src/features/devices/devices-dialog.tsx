import { useMediaQuery } from "@mantine/hooks";
import { deviceList } from "@suncrew/contract/devices/devices.ts";
import { useQuery } from "@tanstack/react-query";
import { routeQuery } from "../../platform/api/route-query.ts";
import { FailedPart, lazyPart } from "../../ui/lazy-part.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { deviceNote } from "./device-facts.ts";
import classes from "./devices-dialog.module.css";
import { Dialog } from "../../ui/dialog.tsx";
import { QueryState } from "../../platform/query-state.tsx";

/** A broker that could not be told is told again within seconds. */
const PENDING_MS = 3_000;

const waiting = <SkeletonLines label="Loading devices" lines={8} lineHeightPx={36} />;
const DevicesContent = lazyPart(async () => (await import("./devices-content.tsx")).DevicesContent, {
  waiting,
  failed: (failure) => <FailedPart title="This dialog could not be loaded." failure={failure} />,
});

/** Fetches what the dialog holds, so that it is there once the dialog opens. */
export const preloadDevices = () => void DevicesContent.preload();

/** Devices: provisioned, allocated to partners, given new secrets and retired by Super Admins. */
export function DevicesDialog({ onClose }: { onClose: () => void }) {
  const isNarrow = useMediaQuery("(max-width: 48em)", undefined, { getInitialValueInEffect: false }) ?? false;
  const query = useQuery({
    ...routeQuery(deviceList, {}),
    refetchOnMount: "always",
    refetchInterval: ({ state }) =>
      state.data?.some((device) => deviceNote(device) !== null) === true ? PENDING_MS : false,
  });
  return (
    <Dialog
      onClose={onClose}
      title="Devices"
      size={1120}
      fullScreenBelow="48em"
      classNames={{ body: classes["body"] ?? "", content: classes["content"] ?? "" }}
    >
      <QueryState query={query} loading={waiting} failed="The devices could not be loaded.">
        {(data) => (
          <DevicesContent
            devices={data}
            isNarrow={isNarrow}
            isReading={query.isFetching}
            onRead={() => void query.refetch()}
          />
        )}
      </QueryState>
    </Dialog>
  );
}
