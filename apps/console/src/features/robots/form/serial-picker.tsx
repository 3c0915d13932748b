import { Box, Checkbox, Group, TextInput } from "@mantine/core";
import "@mantine/core/styles/Checkbox.layer.css";
import { deviceList } from "@suncrew/contract/devices/devices.ts";
import { serialNumbers } from "@suncrew/contract/robots/robot-forms.ts";
import { mayCall } from "@suncrew/domain/auth/permissions.ts";
import { IconCheck, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { routeQuery } from "../../../platform/api/route-query.ts";
import { useSignedIn } from "../../../platform/session/use-session.ts";
import { SkeletonLines } from "../../../ui/skeletons.tsx";
import { partnersElsewhere, type SerialChoice, serialChoices } from "./robot-form.ts";
import classes from "./serial-picker.module.css";
import { Dialog } from "../../../ui/dialog.tsx";
import { QueryState } from "../../../platform/query-state.tsx";
import { useVirtualRows } from "../../../ui/virtual-rows.ts";

const ROW_PX = 44;
const SEEN_ROWS = 8;

const stateWord: Record<SerialChoice["state"], string> = {
  free: "Free",
  assigned: "Assigned",
  own: "This robot's",
  elsewhere: "Another partner's",
};

const isTaken = ({ state }: SerialChoice) => state === "assigned" || state === "elsewhere";

export interface SerialPickerProps {
  /** Empty if none is chosen yet. */
  readonly chosen: string;
  /** The edited robot's own; null for a new robot. */
  readonly own: string | null;
  /** The partner of the robot's site; null if it has none. */
  readonly sitePartnerId: number | null;
  readonly onChoose: (serialNumber: string) => void;
  readonly onClose: () => void;
}

/** §2 Robot serial-number picker: the devices that the user may assign to robots, assigned and free. */
export function SerialPicker({ chosen, own, sitePartnerId, onChoose, onClose }: SerialPickerProps) {
  // Somebody may have assigned one since the last request.
  const query = useQuery({ ...routeQuery(serialNumbers, {}), refetchOnMount: "always" });
  const { role } = useSignedIn();
  // Without the list, the server refuses another partner's device.
  const devices = useQuery({
    ...routeQuery(deviceList, {}),
    refetchOnMount: "always",
    enabled: mayCall(role, "deviceList"),
  }).data;
  const elsewhere = useMemo(() => partnersElsewhere(devices ?? [], sitePartnerId), [devices, sitePartnerId]);
  return (
    <Dialog onClose={onClose} title="Choose a Serial Number" size={420}>
      <QueryState
        query={query}
        loading={<SkeletonLines label="Loading serial numbers" lines={6} lineHeightPx={ROW_PX - 8} />}
        failed="The serial numbers could not be loaded."
      >
        {(data) => <Choices numbers={data} chosen={chosen} own={own} elsewhere={elsewhere} onChoose={onChoose} />}
      </QueryState>
    </Dialog>
  );
}

interface ChoicesProps extends Pick<SerialPickerProps, "chosen" | "own" | "onChoose"> {
  readonly numbers: Parameters<typeof serialChoices>[0];
  readonly elsewhere: ReadonlyMap<string, string>;
}

/** A search above a list in which the arrow keys move from one free serial number to the next, and Enter chooses. */
function Choices({ numbers, chosen, own, elsewhere, onChoose }: ChoicesProps) {
  const [search, setSearch] = useState("");
  const [activeSerial, setActiveSerial] = useState(chosen);
  const id = useId();
  const box = useRef<HTMLInputElement>(null);
  const [showsAssigned, setShowsAssigned] = useState(false);
  const all = useMemo(() => serialChoices(numbers, own, search, elsewhere), [numbers, own, search, elsewhere]);
  const found = useMemo(
    () => (showsAssigned ? all : all.filter(({ state }) => state !== "assigned")),
    [all, showsAssigned],
  );
  const assigned = useMemo(() => all.filter(({ state }) => state === "assigned").length, [all]);
  const free = useMemo(() => found.flatMap((choice, index) => (isTaken(choice) ? [] : [index])), [found]);
  const active = free.find((index) => found[index]?.serialNumber === activeSerial) ?? free[0] ?? -1;
  const { scroll, rows, totalPx, virtualizer } = useVirtualRows({
    count: found.length,
    rowPx: ROW_PX,
    initialHeightPx: ROW_PX * SEEN_ROWS,
  });
  const isShown = useRef(false);
  useEffect(() => {
    if (active < 0) return;
    // First with what comes after it, then only as far as needed.
    virtualizer.scrollToIndex(active, { align: isShown.current ? "auto" : "center" });
    isShown.current = true;
  }, [virtualizer, active]);

  // It is called after the dialog has opened, once the list is there.
  useEffect(() => box.current?.focus(), []);

  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      const to = free[Math.max(0, Math.min(free.length - 1, free.indexOf(active) + step))];
      if (to !== undefined) setActiveSerial(found[to]?.serialNumber ?? "");
    }
    if (event.key === "Enter") {
      // Not also the form behind the picker.
      event.preventDefault();
      const choice = found[active];
      if (choice !== undefined) onChoose(choice.serialNumber);
    }
  };

  return (
    <>
      <TextInput
        ref={box}
        // Room for its focus ring.
        pt={3}
        role="combobox"
        aria-label="Search serial numbers"
        aria-expanded
        aria-controls={id}
        aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
        placeholder="Search serial numbers"
        autoComplete="off"
        data-autofocus
        leftSection={<IconSearch size={16} aria-hidden />}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <Group gap={8} mt={8} mb={6} justify="space-between">
        <Box component="p" fz={12} lh="17px" c="dimmed" role="status">
          {found.length > 0
            ? `${free.length.toLocaleString("en-GB")} of ${all.length.toLocaleString("en-GB")} can be chosen`
            : assigned > 0
              ? "All that match are assigned."
              : "No serial numbers match."}
        </Box>
        {/* §3: each is flagged as assigned or not; those in use are of interest only to whoever looks for one. */}
        <Checkbox
          size="xs"
          label={`Show assigned (${assigned.toLocaleString("en-GB")})`}
          checked={showsAssigned}
          onChange={(event) => setShowsAssigned(event.currentTarget.checked)}
        />
      </Group>
      <div
        ref={scroll}
        id={id}
        className={classes["list"]}
        role="listbox"
        tabIndex={-1}
        aria-label="Serial numbers"
        style={{ height: Math.min(found.length, SEEN_ROWS) * ROW_PX }}
      >
        <div role="presentation" style={{ position: "relative", height: totalPx }}>
          {rows.map(({ index, start }) => {
            const choice = found[index];
            return (
              choice && (
                <Choice
                  key={choice.serialNumber}
                  choice={choice}
                  id={`${id}-${index}`}
                  topPx={start}
                  isActive={index === active}
                  isChosen={choice.serialNumber === chosen}
                  onChoose={onChoose}
                />
              )
            );
          })}
        </div>
      </div>
    </>
  );
}

interface ChoiceProps {
  readonly choice: SerialChoice;
  readonly id: string;
  readonly topPx: number;
  readonly isActive: boolean;
  readonly isChosen: boolean;
  readonly onChoose: (serialNumber: string) => void;
}

function Choice({ choice, id, topPx, isActive, isChosen, onChoose }: ChoiceProps) {
  const { serialNumber, state, partner } = choice;
  const isOff = isTaken(choice);
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- keys are those of the search box above
    <div
      id={id}
      role="option"
      tabIndex={-1}
      className={classes["choice"]}
      aria-selected={isActive}
      aria-disabled={isOff}
      style={{ top: topPx, height: ROW_PX }}
      onClick={isOff ? undefined : () => onChoose(serialNumber)}
    >
      <span className={classes["serial"]}>{serialNumber}</span>
      <span className={classes["state"]}>{partner ?? stateWord[state]}</span>
      {isChosen && <IconCheck size={16} aria-label="Chosen now" />}
    </div>
  );
}
