import "@mantine/core/styles/Checkbox.layer.css";
import { Button, Checkbox } from "@mantine/core";
import type { Device } from "@suncrew/contract/devices/devices.ts";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef, useState } from "react";
import { SearchBox } from "../../ui/search-box.tsx";
import { devicesFound } from "./device-facts.ts";
import classes from "./device-choice.module.css";

const ROW_PX = 40;
const SEEN_ROWS = 8;
const number = (count: number) => count.toLocaleString("en-GB");

export interface DeviceChoiceProps {
  readonly offered: readonly Device[];
  readonly chosen: readonly string[];
  readonly isDisabled: boolean;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
}

/** Free devices with the partner of each, by a search and one by one. */
export function DeviceChoice({ offered, chosen, isDisabled, onChoose }: DeviceChoiceProps) {
  const [search, setSearch] = useState("");
  const found = useMemo(() => devicesFound(offered, "all", search), [offered, search]);
  const isChosen = new Set(chosen);
  return (
    <fieldset className={classes["choice"]} disabled={isDisabled}>
      <legend className={classes["legend"]}>
        Free devices{" "}
        <span className={classes["count"]} role="status">
          {number(chosen.length)} selected
        </span>
      </legend>
      <SearchBox
        label="Search free devices"
        placeholder="Serial number or partner"
        value={search}
        onChange={setSearch}
      />
      <div className={classes["tools"]}>
        <Button
          variant="subtle"
          size="compact-xs"
          disabled={isDisabled || found.length === 0}
          onClick={() => onChoose(new Set([...chosen, ...found.map(({ serial }) => serial)]))}
        >
          Select all {number(found.length)}
        </Button>
        <Button
          variant="subtle"
          size="compact-xs"
          disabled={isDisabled || chosen.length === 0}
          onClick={() => onChoose(new Set())}
        >
          Select none
        </Button>
      </div>
      {found.length === 0 ? (
        <p className={classes["none"]} role="status">
          {offered.length === 0 ? "No free devices that another has." : "No devices match."}
        </p>
      ) : (
        <DeviceLines
          devices={found}
          isChosen={isChosen}
          isDisabled={isDisabled}
          onToggle={(serial, isAdded) => {
            const next = new Set(chosen);
            if (isAdded) next.add(serial);
            else next.delete(serial);
            onChoose(next);
          }}
        />
      )}
    </fieldset>
  );
}

interface DeviceLinesProps {
  readonly devices: readonly Device[];
  readonly isChosen: ReadonlySet<string>;
  readonly isDisabled: boolean;
  readonly onToggle: (serial: string, isAdded: boolean) => void;
}

function DeviceLines({ devices, isChosen, isDisabled, onToggle }: DeviceLinesProps) {
  const scroll = useRef<HTMLDivElement>(null);
  // oxlint-disable-next-line react/incompatible-library -- the console is not built with the compiler
  const virtualizer = useVirtualizer({
    count: devices.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
    initialRect: { width: 460, height: ROW_PX * SEEN_ROWS },
  });
  return (
    <div
      ref={scroll}
      className={classes["scroll"]}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that the keyboard can scroll it
      tabIndex={0}
      role="region"
      aria-label="Free devices, scrollable"
      style={{ height: Math.min(devices.length, SEEN_ROWS) * ROW_PX + 2 }}
    >
      <ul className={classes["list"]} style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const device = devices[index];
          return (
            device && (
              <li
                key={device.serial}
                className={classes["device"]}
                aria-setsize={devices.length}
                aria-posinset={index + 1}
                style={{ top: start, height: ROW_PX }}
              >
                <Checkbox
                  size="sm"
                  label={device.serial}
                  checked={isChosen.has(device.serial)}
                  disabled={isDisabled}
                  onChange={(event) => onToggle(device.serial, event.currentTarget.checked)}
                />
                <span className={classes["partner"]}>{device.partner.name}</span>
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
}
