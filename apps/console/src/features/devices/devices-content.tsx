import { Box, Button, NativeSelect, SegmentedControl } from "@mantine/core";
import type { Device } from "@suncrew/contract/devices/devices.ts";
import { IconKey, IconPlugConnectedX, IconPlus, IconRefresh, IconUserShare } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import { confirm, type Question } from "../../platform/confirm/confirm.ts";
import { useServerConfig } from "../../platform/server-config.ts";
import type { Look } from "../../ui/look.ts";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { Cell, VirtualTable } from "../../ui/virtual-table.tsx";
import { AllocateDialog } from "./allocate-dialog.tsx";
import { type NewSecrets, retire, rotate } from "./device-calls.ts";
import {
  deviceCounts,
  type DeviceFilter,
  deviceFilters,
  deviceNote,
  devicesFound,
  deviceState,
  partnersOf,
} from "./device-facts.ts";
import { connectionLook, deviceLook, sensorLook } from "./device-looks.ts";
import shared from "../../ui/shared.module.css";
import classes from "./devices-content.module.css";
import { ProvisionDialog } from "./provision-dialog.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { RowAction } from "../../ui/row-action.tsx";
import { SecretsDialog } from "./secrets-dialog.tsx";

const filterLabel: Record<DeviceFilter, string> = {
  all: "All",
  free: "Free",
  assigned: "Assigned",
  retired: "Retired",
};

/** The dialog above this one. */
type OpenDialog = "allocate" | "provision" | NewSecrets;

const ALL_PARTNERS = "";

export interface DevicesContentProps {
  readonly devices: readonly Device[];
  readonly isNarrow: boolean;
  readonly isRefreshing: boolean;
  readonly onRefresh: () => void;
}

/** The contents of the Devices dialog once its devices are loaded. */
export function DevicesContent({ devices, isNarrow, isRefreshing, onRefresh }: DevicesContentProps) {
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const isDemo = useServerConfig()?.mode === "demo";
  const [search, setSearch] = useState("");
  const [filter, setFilter] = useState<DeviceFilter>("all");
  const [partnerId, setPartnerId] = useState(ALL_PARTNERS);
  const [busy, setBusy] = useState<string | null>(null);
  const partners = useMemo(() => partnersOf(devices), [devices]);
  // A partner that has lost its last device can no longer be chosen.
  const shown = partners.some(({ id }) => String(id) === partnerId) ? partnerId : ALL_PARTNERS;
  const ofPartner = useMemo(
    () => (shown === ALL_PARTNERS ? devices : devices.filter(({ partner }) => String(partner.id) === shown)),
    [devices, shown],
  );
  const counts = useMemo(() => deviceCounts(ofPartner), [ofPartner]);
  const found = useMemo(() => devicesFound(ofPartner, filter, search), [ofPartner, filter, search]);

  const onRotate = async (device: Device) => {
    if (busy !== null || !(await confirm(rotateQuestion(device, isDemo)))) return;
    setBusy(device.serial);
    const issued = await rotate(device.serial);
    setBusy(null);
    if (issued !== null) setOpen(issued);
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
        <div className={classes["actions"]}>
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
            // A phone has no room for the counts.
            label: isNarrow ? filterLabel[value] : `${filterLabel[value]} ${counts[value].toLocaleString("en-GB")}`,
          }))}
          onChange={(value) => setFilter(deviceFilters.find((one) => one === value) ?? "all")}
        />
        <NativeSelect
          size="xs"
          aria-label="Show devices of partner"
          value={shown}
          data={[
            { value: ALL_PARTNERS, label: "All partners" },
            ...partners.map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
          onChange={(event) => setPartnerId(event.currentTarget.value)}
        />
        <IconButton
          label="Refresh"
          icon={IconRefresh}
          className={classes["read"]}
          aria-label="Refresh devices"
          loading={isRefreshing}
          onClick={onRefresh}
        />
      </div>
      {found.length === 0 ? (
        <Box component="p" pt={28} pb={28} px={12} fz={13} c="dimmed" ta="center" role="status">
          {devices.length === 0 ? "No devices yet." : "No devices match."}
        </Box>
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
        <ProvisionDialog devices={devices} onIssued={setOpen} onClose={() => setOpen(null)} isDemo={isDemo} />
      )}
      {open !== null && typeof open === "object" && <SecretsDialog issued={open} onClose={() => setOpen(null)} />}
    </>
  );
}

const ROW_PX = 44;
const NARROW_ROW_PX = 86;

export interface DeviceTableProps {
  readonly devices: readonly Device[];
  /** Two lines per device, for phones. */
  readonly isNarrow: boolean;
  /** The serial number of the device that is being changed. */
  readonly busy: string | null;
  readonly onRotate: (device: Device) => void;
  readonly onRetire: (device: Device) => void;
}

/** A row for each device; only the visible ones are rendered. */
export function DeviceTable({ devices, isNarrow, ...actions }: DeviceTableProps) {
  return (
    <VirtualTable
      label="Devices"
      columns={["Serial Number", "State", "Partner", "Robot", "Site", "Secret issued", "Actions"]}
      rows={devices}
      keyOf={({ serial }) => serial}
      rowPx={isNarrow ? NARROW_ROW_PX : ROW_PX}
      isNarrow={isNarrow}
      className={classes["table"]}
      rowClassName={classes["row"]}
    >
      {(device) => <DeviceCells device={device} {...actions} />}
    </VirtualTable>
  );
}

interface DeviceCellsProps extends Pick<DeviceTableProps, "busy" | "onRotate" | "onRetire"> {
  readonly device: Device;
}

function assignedLook({ robot, sensor_of: site }: Device): Look {
  return robot === null && site !== null ? sensorLook : connectionLook(robot?.online === true);
}

function DeviceCells({ device, busy, onRotate, onRetire }: DeviceCellsProps) {
  const { serial, partner, robot, sensor_of: sensorOf, secret_at, retired_at } = device;
  const siteName = robot?.site_name ?? sensorOf?.site_name;
  const note = deviceNote(device);
  const state = deviceState(device);
  return (
    <>
      <Cell area="serial" isCut className={classes["serial"]} data-retired={retired_at !== null || undefined}>
        {serial}
      </Cell>
      <Cell area="state" className={classes["state"]}>
        <StateBadge look={state === "assigned" ? assignedLook(device) : deviceLook[state]} />
        {note !== null && (
          <span className={classes["pending"]} data-unsure={device.secret_unsure || undefined}>
            {note}
          </span>
        )}
      </Cell>
      <Cell area="partner" isCut className={classes["partner"]} title={partner.name}>
        {partner.name}
      </Cell>
      <Cell area="robot" isCut title={robot?.name}>
        {robot?.name ?? (sensorOf === null ? "–" : "Weather sensor")}
      </Cell>
      <Cell area="site" isCut className={classes["site"]} title={siteName}>
        {siteName ?? "–"}
      </Cell>
      <Cell area="issued" className={shared["muted"]}>
        {retired_at === null ? (
          <RelativeTime at={secret_at} />
        ) : (
          <>
            Retired <RelativeTime at={retired_at} />
          </>
        )}
      </Cell>
      <Cell area="actions" className={classes["rowActions"]}>
        {retired_at === null && (
          <>
            <RowAction
              label="Rotate secret"
              name={`Rotate the secret of ${serial}`}
              icon={IconKey}
              isBusy={busy === serial}
              onPress={() => onRotate(device)}
            />
            <RowAction
              label="Retire"
              name={`Retire ${serial}`}
              icon={IconPlugConnectedX}
              isDestructive
              isDisabled={busy === serial}
              onPress={() => onRetire(device)}
            />
          </>
        )}
      </Cell>
    </>
  );
}

function userOf({ robot, sensor_of: site }: Device): string | null {
  if (robot !== null) return `robot ${robot.name} at ${robot.site_name}`;
  return site === null ? null : `the weather sensor of ${site.site_name}`;
}

/** What happens when a device gets a new secret. */
export function rotateQuestion(device: Device, isDemo: boolean): Question {
  const user = userOf(device);
  const who =
    user === null
      ? `Device ${device.serial} is free: no robot has it.`
      : `Device ${device.serial} belongs to ${user}, which stays offline until the new secret is entered in it.`;
  const demo =
    isDemo && user !== null ? " In this demo the simulated robot keeps the old secret, so it stays offline." : "";
  const unsure = device.secret_unsure
    ? " Its last new secret was never shown to anyone, and the broker may already use it."
    : "";
  return {
    title: "Rotate Secret",
    message: `${who}${unsure} The old secret ends at once, and with it the device's connection.${demo}`,
    confirmLabel: "Rotate Secret",
    destructive: user !== null,
  };
}

/** What happens when a device is retired. */
export function retireQuestion(device: Device): Question {
  const user = userOf(device);
  const then =
    device.robot === null
      ? "Nothing is measured there until it has another one."
      : "The robot is stopped, shows offline and takes no command until it is given another serial number.";
  const who =
    user === null
      ? `Device ${device.serial} is free: no robot has it.`
      : `Device ${device.serial} belongs to ${user}. ${then}`;
  return {
    title: "Retire Device",
    message: `${who} The device is cut off at once and for good, and its serial number is never free again.`,
    confirmLabel: "Retire Device",
    destructive: true,
  };
}
