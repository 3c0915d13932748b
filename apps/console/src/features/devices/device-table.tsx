import { ActionIcon, Tooltip } from "@mantine/core";
import type { Device } from "@suncrew/contract/devices/devices.ts";
import { IconKey, IconPlugConnectedX } from "@tabler/icons-react";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { VirtualTable } from "../../ui/virtual-table.tsx";
import { deviceNote, deviceState } from "./device-facts.ts";
import { connectionLook, deviceLook } from "./device-meaning.ts";
import classes from "./device-table.module.css";

const ROW_PX = 44;
const NARROW_ROW_PX = 86;

export interface DeviceTableProps {
  readonly devices: readonly Device[];
  /** Two lines for each, as a telephone has room for. */
  readonly isNarrow: boolean;
  /** The serial number of the device that is being changed. */
  readonly busy: string | null;
  readonly onRotate: (device: Device) => void;
  readonly onRetire: (device: Device) => void;
}

/** A row for each device, of which only those in sight exist. */
export function DeviceTable({ devices, isNarrow, ...deeds }: DeviceTableProps) {
  return (
    <VirtualTable
      label="Devices"
      columns={["Serial Number", "State", "Partner", "Robot", "Site", "Secret Made", "Actions"]}
      rows={devices}
      keyOf={({ serial }) => serial}
      rowPx={isNarrow ? NARROW_ROW_PX : ROW_PX}
      isNarrow={isNarrow}
      className={classes["table"]}
      rowClassName={classes["row"]}
    >
      {(device) => <DeviceCells device={device} {...deeds} />}
    </VirtualTable>
  );
}

interface DeviceCellsProps extends Pick<DeviceTableProps, "busy" | "onRotate" | "onRetire"> {
  readonly device: Device;
}

function DeviceCells({ device, busy, onRotate, onRetire }: DeviceCellsProps) {
  const { serial, partner, robot, secret_at, retired_at } = device;
  const note = deviceNote(device);
  const state = deviceState(device);
  return (
    <>
      <span role="cell" className={classes["serial"]} data-retired={retired_at !== null || undefined}>
        {serial}
      </span>
      <span role="cell" className={classes["state"]}>
        <StateBadge look={state === "assigned" ? connectionLook(robot?.online === true) : deviceLook[state]} />
        {note !== null && (
          <span className={classes["pending"]} data-unsure={device.secret_unsure || undefined}>
            {note}
          </span>
        )}
      </span>
      <span role="cell" className={classes["partner"]} title={partner.name}>
        {partner.name}
      </span>
      <span role="cell" className={classes["robot"]} title={robot?.name}>
        {robot?.name ?? "–"}
      </span>
      <span role="cell" className={classes["site"]} title={robot?.site_name}>
        {robot?.site_name ?? "–"}
      </span>
      <span role="cell" className={classes["made"]}>
        {retired_at === null ? (
          <RelativeTime at={secret_at} />
        ) : (
          <>
            Retired <RelativeTime at={retired_at} />
          </>
        )}
      </span>
      <span role="cell" className={classes["deeds"]}>
        {retired_at === null && (
          <>
            <Tooltip label="Rotate secret">
              <ActionIcon
                variant="subtle"
                color="gray"
                size={34}
                aria-label={`Rotate the secret of ${serial}`}
                loading={busy === serial}
                onClick={() => onRotate(device)}
              >
                <IconKey size={17} aria-hidden />
              </ActionIcon>
            </Tooltip>
            <Tooltip label="Retire">
              <ActionIcon
                variant="subtle"
                color="red"
                size={34}
                aria-label={`Retire ${serial}`}
                disabled={busy === serial}
                onClick={() => onRetire(device)}
              >
                <IconPlugConnectedX size={17} aria-hidden />
              </ActionIcon>
            </Tooltip>
          </>
        )}
      </span>
    </>
  );
}
