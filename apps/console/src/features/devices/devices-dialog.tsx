import { ActionIcon, Button, Modal, SegmentedControl, Tooltip } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { deviceList } from "@suncrew/contract/devices/devices.ts";
import type { Device } from "@suncrew/contract/devices/devices.ts";
import { IconPlus, IconRefresh } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { confirm } from "../../platform/confirm/confirm.ts";
import type { Question } from "../../platform/confirm/confirm.ts";
import { routeQuery } from "../../platform/api/route-query.ts";
import { useServerConfig } from "../../platform/server-config.ts";
import { FailedState } from "../../ui/failed-state.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { useFocusBack } from "../../ui/use-focus-back.ts";
import { retire, rotate } from "./device-calls.ts";
import type { NewSecrets } from "./device-calls.ts";
import { deviceCounts, deviceFilters, deviceNote, devicesFound } from "./device-facts.ts";
import type { DeviceFilter } from "./device-facts.ts";
import { retireQuestion, rotateQuestion } from "./device-questions.ts";
import { DeviceTable } from "./device-table.tsx";
import classes from "./devices-dialog.module.css";
import { ProvisionDialog } from "./provision-dialog.tsx";
import { SecretsDialog } from "./secrets-dialog.tsx";

/** A broker that could not be told is told again within seconds. */
const PENDING_MS = 3_000;

const filterWord: Record<DeviceFilter, string> = {
  all: "All",
  free: "Free",
  assigned: "Assigned",
  retired: "Retired",
};

/** Devices: provisioned, given new secrets and retired by Super Admins. */
export function DevicesDialog({ onClose }: { onClose: () => void }) {
  useFocusBack();
  const isNarrow = useMediaQuery("(max-width: 48em)", undefined, { getInitialValueInEffect: false }) ?? false;
  const query = useQuery({
    ...routeQuery(deviceList, {}),
    refetchOnMount: "always",
    refetchInterval: ({ state }) =>
      state.data?.some((device) => deviceNote(device) !== null) === true ? PENDING_MS : false,
  });
  // Of the dialogs above this one, Escape closes the uppermost only.
  const [above, setAbove] = useState<"provision" | "question" | NewSecrets | null>(null);
  return (
    <Modal
      opened
      onClose={onClose}
      closeOnEscape={above === null}
      title="Devices"
      size={980}
      fullScreen={isNarrow}
      classNames={{ body: classes["body"] ?? "", content: classes["content"] ?? "" }}
    >
      {query.isPending ? (
        <SkeletonLines label="Loading devices" lines={8} lineHeightPx={36} />
      ) : query.data === undefined ? (
        <FailedState
          title="The devices could not be loaded."
          message={query.error?.message}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      ) : (
        <Devices
          devices={query.data}
          isNarrow={isNarrow}
          isReading={query.isFetching}
          onRead={() => void query.refetch()}
          above={above}
          onAbove={setAbove}
        />
      )}
    </Modal>
  );
}

interface DevicesProps {
  readonly devices: readonly Device[];
  readonly isNarrow: boolean;
  readonly isReading: boolean;
  readonly onRead: () => void;
  readonly above: "provision" | "question" | NewSecrets | null;
  readonly onAbove: (above: "provision" | "question" | NewSecrets | null) => void;
}

function Devices({ devices, isNarrow, isReading, onRead, above, onAbove }: DevicesProps) {
  const isDemo = useServerConfig()?.mode === "demo";
  const [search, setSearch] = useState("");
  const [filter, setFilter] = useState<DeviceFilter>("all");
  const [busy, setBusy] = useState<string | null>(null);
  const counts = useMemo(() => deviceCounts(devices), [devices]);
  const found = useMemo(() => devicesFound(devices, filter, search), [devices, filter, search]);

  const isSure = async (question: Question) => {
    onAbove("question");
    const answer = await confirm(question);
    // The Escape that answers the question also reaches this dialog.
    setTimeout(() => onAbove(null));
    return answer;
  };
  const onRotate = async (device: Device) => {
    if (busy !== null || !(await isSure(rotateQuestion(device, isDemo)))) return;
    setBusy(device.serial);
    const made = await rotate(device.serial);
    setBusy(null);
    if (made !== null) onAbove(made);
  };
  const onRetire = async (device: Device) => {
    if (busy !== null || !(await isSure(retireQuestion(device)))) return;
    setBusy(device.serial);
    await retire(device.serial);
    setBusy(null);
  };

  return (
    <>
      <div className={classes["head"]}>
        <div className={classes["search"]}>
          <SearchBox
            label="Search devices"
            placeholder="Search by serial number, robot or site"
            value={search}
            onChange={setSearch}
          />
        </div>
        <Button
          leftSection={<IconPlus size={16} aria-hidden />}
          aria-haspopup="dialog"
          onClick={() => onAbove("provision")}
        >
          Provision
        </Button>
        <SegmentedControl
          className={classes["filter"] ?? ""}
          size="xs"
          aria-label="Show devices"
          fullWidth={isNarrow}
          value={filter}
          data={deviceFilters.map((value) => ({
            value,
            // A telephone has no room for the numbers.
            label: isNarrow ? filterWord[value] : `${filterWord[value]} ${counts[value].toLocaleString("en-GB")}`,
          }))}
          onChange={(value) => setFilter(deviceFilters.find((one) => one === value) ?? "all")}
        />
        <Tooltip label="Read again">
          <ActionIcon
            className={classes["read"] ?? ""}
            variant="default"
            size={30}
            aria-label="Read devices again"
            loading={isReading}
            onClick={onRead}
          >
            <IconRefresh size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </div>
      {found.length === 0 ? (
        <p className={classes["none"]} role="status">
          {devices.length === 0 ? "No devices yet." : "No devices match."}
        </p>
      ) : (
        <DeviceTable
          devices={found}
          isNarrow={isNarrow}
          busy={busy}
          onRotate={(device) => void onRotate(device)}
          onRetire={(device) => void onRetire(device)}
        />
      )}
      {above === "provision" && (
        <ProvisionDialog devices={devices} onMade={onAbove} onClose={() => onAbove(null)} isDemo={isDemo} />
      )}
      {above !== null && typeof above === "object" && <SecretsDialog made={above} onClose={() => onAbove(null)} />}
    </>
  );
}
