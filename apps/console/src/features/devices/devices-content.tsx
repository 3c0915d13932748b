import { ActionIcon, Button, NativeSelect, SegmentedControl, Tooltip } from "@mantine/core";
import type { Device } from "@suncrew/contract/devices/devices.ts";
import { IconPlus, IconRefresh, IconUserShare } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import { confirm } from "../../platform/confirm/confirm.ts";
import { useServerConfig } from "../../platform/server-config.ts";
import { SearchBox } from "../../ui/search-box.tsx";
import { AllocateDialog } from "./allocate-dialog.tsx";
import { retire, rotate } from "./device-calls.ts";
import type { NewSecrets } from "./device-calls.ts";
import { deviceCounts, deviceFilters, devicesFound, partnersOf } from "./device-facts.ts";
import type { DeviceFilter } from "./device-facts.ts";
import { retireQuestion, rotateQuestion } from "./device-questions.ts";
import { DeviceTable } from "./device-table.tsx";
import classes from "./devices-dialog.module.css";
import { ProvisionDialog } from "./provision-dialog.tsx";
import { SecretsDialog } from "./secrets-dialog.tsx";

const filterWord: Record<DeviceFilter, string> = {
  all: "All",
  free: "Free",
  assigned: "Assigned",
  retired: "Retired",
};

/** The dialog above this one. */
type OpenDialog = "allocate" | "provision" | NewSecrets;

/** Of the choice of partners. */
const EVERY_PARTNER = "";

export interface DevicesContentProps {
  readonly devices: readonly Device[];
  readonly isNarrow: boolean;
  readonly isReading: boolean;
  readonly onRead: () => void;
}

/** What the Devices dialog holds once its devices are known. */
export function DevicesContent({ devices, isNarrow, isReading, onRead }: DevicesContentProps) {
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const isDemo = useServerConfig()?.mode === "demo";
  const [search, setSearch] = useState("");
  const [filter, setFilter] = useState<DeviceFilter>("all");
  const [partnerId, setPartnerId] = useState(EVERY_PARTNER);
  const [busy, setBusy] = useState<string | null>(null);
  const partners = useMemo(() => partnersOf(devices), [devices]);
  // One whose last device is gone is no choice any more.
  const shown = partners.some(({ id }) => String(id) === partnerId) ? partnerId : EVERY_PARTNER;
  const ofPartner = useMemo(
    () => (shown === EVERY_PARTNER ? devices : devices.filter(({ partner }) => String(partner.id) === shown)),
    [devices, shown],
  );
  const counts = useMemo(() => deviceCounts(ofPartner), [ofPartner]);
  const found = useMemo(() => devicesFound(ofPartner, filter, search), [ofPartner, filter, search]);

  const onRotate = async (device: Device) => {
    if (busy !== null || !(await confirm(rotateQuestion(device, isDemo)))) return;
    setBusy(device.serial);
    const made = await rotate(device.serial);
    setBusy(null);
    if (made !== null) setOpen(made);
  };
  const onRetire = async (device: Device) => {
    if (busy !== null || !(await confirm(retireQuestion(device)))) return;
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
            placeholder={
              isNarrow ? "Serial, partner, robot or site" : "Search by serial number, partner, robot or site"
            }
            value={search}
            onChange={setSearch}
          />
        </div>
        <div className={classes["deeds"]}>
          <Button
            variant="default"
            leftSection={<IconUserShare size={16} aria-hidden />}
            aria-haspopup="dialog"
            onClick={() => setOpen("allocate")}
          >
            Allocate
          </Button>
          <Button
            leftSection={<IconPlus size={16} aria-hidden />}
            aria-haspopup="dialog"
            onClick={() => setOpen("provision")}
          >
            Provision
          </Button>
        </div>
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
        <NativeSelect
          className={classes["partner"] ?? ""}
          size="xs"
          aria-label="Show devices of partner"
          value={shown}
          data={[
            { value: EVERY_PARTNER, label: "All partners" },
            ...partners.map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
          onChange={(event) => setPartnerId(event.currentTarget.value)}
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
      {open === "allocate" && <AllocateDialog devices={devices} onClose={() => setOpen(null)} />}
      {open === "provision" && (
        <ProvisionDialog devices={devices} onMade={setOpen} onClose={() => setOpen(null)} isDemo={isDemo} />
      )}
      {open !== null && typeof open === "object" && <SecretsDialog made={open} onClose={() => setOpen(null)} />}
    </>
  );
}
