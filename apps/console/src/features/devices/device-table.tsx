import { ActionIcon, Tooltip } from "@mantine/core";
import type { Device } from "@suncrew/contract/devices/devices.ts";
import { IconKey, IconPlugConnectedX } from "@tabler/icons-react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
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
  const scroll = useRef<HTMLDivElement>(null);
  const rowPx = isNarrow ? NARROW_ROW_PX : ROW_PX;
  // oxlint-disable-next-line react/incompatible-library -- the console is not built with the compiler
  const virtualizer = useVirtualizer({
    count: devices.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowPx,
    overscan: 8,
    initialRect: { width: 900, height: 500 },
  });
  useEffect(() => virtualizer.measure(), [virtualizer, rowPx]);
  return (
    <div className={classes["table"]} role="table" aria-label="Devices" aria-rowcount={devices.length + 1}>
      <div className={classes["names"]} role="row" aria-rowindex={1} data-narrow={isNarrow || undefined}>
        {["Serial Number", "State", "Robot", "Site", "Secret Made", "Actions"].map((name) => (
          <span key={name} role="columnheader">
            {name}
          </span>
        ))}
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that the keyboard can scroll it */}
      <div ref={scroll} className={classes["scroll"]} role="rowgroup" tabIndex={0} aria-label="Devices, scrollable">
        <div role="presentation" style={{ position: "relative", height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, start }) => {
            const device = devices[index];
            return (
              device && (
                <div
                  key={device.serial}
                  className={classes["row"]}
                  role="row"
                  aria-rowindex={index + 2}
                  data-narrow={isNarrow || undefined}
                  data-retired={device.retired_at !== null || undefined}
                  style={{ top: start, height: rowPx }}
                >
                  <DeviceCells device={device} {...deeds} />
                </div>
              )
            );
          })}
        </div>
      </div>
    </div>
  );
}

interface DeviceCellsProps extends Pick<DeviceTableProps, "busy" | "onRotate" | "onRetire"> {
  readonly device: Device;
}

function DeviceCells({ device, busy, onRotate, onRetire }: DeviceCellsProps) {
  const { serial, robot, secret_at, retired_at } = device;
  const note = deviceNote(device);
  const state = deviceState(device);
  return (
    <>
      <span role="cell" className={classes["serial"]}>
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
