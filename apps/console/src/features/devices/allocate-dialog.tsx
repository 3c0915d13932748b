import { Button, Group } from "@mantine/core";
import { DEVICES_AT_ONCE } from "@suncrew/contract/devices/devices.ts";
import type { Device } from "@suncrew/contract/devices/devices.ts";
import { IN_HOUSE_PARTNER_ID } from "@suncrew/domain/devices/serial-numbers.ts";
import { useMemo, useRef, useState } from "react";
import type { FormEvent } from "react";
import { useGuardedClose } from "../../platform/confirm/use-guarded-close.ts";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { allocate } from "./device-calls.ts";
import { DeviceChoice } from "./device-choice.tsx";
import classes from "./device-choice.module.css";
import { devicesFound } from "./device-facts.ts";
import { PartnerChoice } from "./partner-choice.tsx";
import { Dialog } from "../../ui/dialog.tsx";

const number = (count: number) => count.toLocaleString("en-GB");

/** Which free devices are allocated to which partner; In-house takes them back. */
export function AllocateDialog({ devices, onClose }: { devices: readonly Device[]; onClose: () => void }) {
  const [partnerId, setPartnerId] = useState<number | null>(null);
  const [wanted, setWanted] = useState<ReadonlySet<string>>(new Set());
  const [isSaving, setSaving] = useState(false);
  const isUnderWay = useRef(false);
  const free = useMemo(() => devicesFound(devices, "free", ""), [devices]);
  const offered = useMemo(() => free.filter(({ partner }) => partner.id !== partnerId), [free, partnerId]);
  // What somebody else has taken or allocated meanwhile is no longer chosen.
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
    if (problem !== null || partnerId === null || isUnderWay.current) return;
    isUnderWay.current = true;
    setSaving(true);
    const isDone = await allocate({ serials: chosen, partner_id: partnerId });
    isUnderWay.current = false;
    setSaving(false);
    if (isDone) onClose();
  };
  const count = chosen.length === 1 ? "1 device" : `${number(chosen.length)} devices`;
  const deed = partnerId === IN_HOUSE_PARTNER_ID ? "Take back" : "Allocate";

  return (
    <Dialog onClose={close} title="Allocate Devices" size={520}>
      <form noValidate onSubmit={(event) => void submit(event)}>
        <PartnerChoice
          label="Partner"
          description="Only this partner can give them to robots then. In-house takes them back."
          required
          data-autofocus
          value={partnerId}
          disabled={isSaving}
          onChoose={setPartnerId}
        />
        <DeviceChoice offered={offered} chosen={chosen} isDisabled={isSaving} onChoose={setWanted} />
        <p className={classes["hint"]}>A device that a robot has belongs to the partner of the robot’s site.</p>
        <Group justify="flex-end" mt="md" gap="xs">
          <Button variant="default" disabled={isSaving} onClick={close}>
            Cancel
          </Button>
          <DisabledReason reason={problem}>
            <Button type="submit" loading={isSaving}>
              {chosen.length === 0 ? deed : `${deed} ${count}`}
            </Button>
          </DisabledReason>
        </Group>
      </form>
    </Dialog>
  );
}
