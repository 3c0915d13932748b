import { Box, Checkbox } from "@mantine/core";
import "@mantine/core/styles/Checkbox.layer.css";
import { type Device, DEVICES_AT_ONCE } from "@suncrew/contract/devices/devices.ts";
import { IN_HOUSE_PARTNER_ID } from "@suncrew/domain/devices/serial-numbers.ts";
import { type FormEvent, useMemo, useState } from "react";
import { useGuardedClose } from "../../platform/confirm/use-guarded-close.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { FormButtons } from "../../ui/form-buttons.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { VirtualList } from "../../ui/virtual-list.tsx";
import { allocate } from "./device-calls.ts";
import shared from "../../ui/shared.module.css";
import classes from "./device-dialogs.module.css";
import { devicesFound } from "./device-facts.ts";
import { ChoiceFields, ChoiceTools, NoChoices } from "../../ui/choice-fields.tsx";
import { useBusy } from "../../ui/use-busy.ts";
import { PartnerChoice } from "./partner-choice.tsx";

const number = (count: number) => count.toLocaleString("en-GB");

/** Which free devices are allocated to which partner; In-house takes them back. */
export function AllocateDialog({ devices, onClose }: { devices: readonly Device[]; onClose: () => void }) {
  const [partnerId, setPartnerId] = useState<number | null>(null);
  const [wanted, setWanted] = useState<ReadonlySet<string>>(new Set());
  const [isSaving, run] = useBusy();
  const free = useMemo(() => devicesFound(devices, "free", ""), [devices]);
  const offered = useMemo(() => free.filter(({ partner }) => partner.id !== partnerId), [free, partnerId]);
  // A device that someone else has assigned or allocated in the meantime is no longer chosen.
  const chosen = offered.flatMap(({ serial }) => (wanted.has(serial) ? [serial] : []));
  const problem =
    partnerId === null
      ? "Choose a partner first."
      : chosen.length === 0
        ? "Choose at least one device."
        : chosen.length > DEVICES_AT_ONCE
          ? `At most ${number(DEVICES_AT_ONCE)} devices at once.`
          : null;
  const isChanged = partnerId !== null || wanted.size > 0;
  const close = useGuardedClose({ isChanged, isSaving, shownBy: ["dialog"] }, onClose);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (problem !== null || partnerId === null) return;
    if ((await run(() => allocate({ serials: chosen, partner_id: partnerId }))) === true) onClose();
  };
  const count = chosen.length === 1 ? "1 device" : `${number(chosen.length)} devices`;
  const action = partnerId === IN_HOUSE_PARTNER_ID ? "Take back" : "Allocate";

  return (
    <Dialog onClose={close} title="Allocate Devices" size={520}>
      <form noValidate onSubmit={(event) => void submit(event)}>
        <PartnerChoice
          label="Partner"
          description="Only this partner can then assign them to robots. Choose In-house to take them back."
          required
          data-autofocus
          value={partnerId}
          disabled={isSaving}
          onChoose={setPartnerId}
        />
        <DeviceChoice offered={offered} chosen={chosen} isDisabled={isSaving} onChoose={setWanted} />
        <Box component="p" mt={8} fz={12} c="dimmed">
          A device assigned to a robot belongs to the partner of the robot’s site.
        </Box>
        <FormButtons
          submitLabel={chosen.length === 0 ? action : `${action} ${count}`}
          isSaving={isSaving}
          blockedReason={problem}
          onCancel={close}
        />
      </form>
    </Dialog>
  );
}

const ROW_PX = 40;
const MAX_ROWS = 8;

interface DeviceChoiceProps {
  readonly offered: readonly Device[];
  readonly chosen: readonly string[];
  readonly isDisabled: boolean;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
}

/** Free devices with the partner of each, chosen by search or one by one. */
function DeviceChoice({ offered, chosen, isDisabled, onChoose }: DeviceChoiceProps) {
  const [search, setSearch] = useState("");
  const found = useMemo(() => devicesFound(offered, "all", search), [offered, search]);
  const isChosen = new Set(chosen);
  const toggle = (serial: string, isAdded: boolean) => {
    const next = new Set(chosen);
    if (isAdded) next.add(serial);
    else next.delete(serial);
    onChoose(next);
  };
  return (
    <ChoiceFields
      title="Free devices"
      chosenCount={chosen.length}
      isDisabled={isDisabled}
      className={classes["choice"]}
    >
      <SearchBox
        label="Search free devices"
        placeholder="Serial number or partner"
        value={search}
        onChange={setSearch}
      />
      <ChoiceTools
        isDisabled={isDisabled}
        sets={[{ label: `Select all ${number(found.length)}`, items: found }]}
        hasChosen={chosen.length > 0}
        onAdd={(added) => onChoose(new Set([...chosen, ...added.map(({ serial }) => serial)]))}
        onNone={() => onChoose(new Set())}
      />
      {found.length === 0 ? (
        <NoChoices>
          {offered.length === 0 ? "No free devices that belong to another partner." : "No devices match."}
        </NoChoices>
      ) : (
        <VirtualList
          label="Free devices, scrollable"
          items={found}
          keyOf={({ serial }) => serial}
          rowPx={ROW_PX}
          maxRows={MAX_ROWS}
          className={classes["scroll"]}
          rowClassName={`${shared["checkRow"]} ${classes["device"]}`}
        >
          {({ serial, partner }) => (
            <>
              <Checkbox
                size="sm"
                label={serial}
                style={{ flex: "none" }}
                checked={isChosen.has(serial)}
                disabled={isDisabled}
                onChange={(event) => toggle(serial, event.currentTarget.checked)}
              />
              <span className={`${shared["muted"]} ${shared["truncate"]}`}>{partner.name}</span>
            </>
          )}
        </VirtualList>
      )}
    </ChoiceFields>
  );
}
