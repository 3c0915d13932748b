import { Alert, Box, TextInput } from "@mantine/core";
import type { Device } from "@suncrew/contract/devices/devices.ts";
import { IN_HOUSE_PARTNER_ID } from "@suncrew/domain/devices/serial-numbers.ts";
import { IconInfoCircle } from "@tabler/icons-react";
import { useMemo, useRef, useState, type FormEvent } from "react";
import { useGuardedClose } from "../../platform/confirm/use-guarded-close.ts";
import { FormButtons } from "../../ui/form-buttons.tsx";
import { provision, type NewSecrets } from "./device-calls.ts";
import { PartnerChoice } from "./partner-choice.tsx";
import { nextSerial, previewText, provisionPreview, type ProvisionForm } from "./provision-form.ts";
import classes from "./device-dialogs.module.css";
import { useBusy } from "../../ui/use-busy.ts";
import { Dialog } from "../../ui/dialog.tsx";

export interface ProvisionDialogProps {
  readonly devices: readonly Device[];
  readonly isDemo: boolean;
  readonly onIssued: (secrets: NewSecrets) => void;
  readonly onClose: () => void;
}

type Field = keyof ProvisionForm;

/** One device, or a range, with a preview of how many. */
export function ProvisionDialog({ devices, isDemo, onIssued, onClose }: ProvisionDialogProps) {
  const taken = useMemo(() => new Set(devices.map(({ serial }) => serial)), [devices]);
  const [initial] = useState<ProvisionForm>(() => ({ first: nextSerial([...taken]), last: "" }));
  const [form, setForm] = useState(initial);
  const [partnerId, setPartnerId] = useState(IN_HOUSE_PARTNER_ID);
  const [touched, setTouched] = useState<ReadonlySet<Field>>(new Set());
  const [isSaving, run] = useBusy();
  const formElement = useRef<HTMLFormElement>(null);
  const { serials, problems } = provisionPreview(form, taken);
  const isChanged = form.first !== initial.first || form.last !== initial.last || partnerId !== IN_HOUSE_PARTNER_ID;
  const close = useGuardedClose({ isChanged, isSaving, shownBy: ["dialog"] }, onClose);

  const change = (field: Field, value: string) => setForm((now) => ({ ...now, [field]: value }));
  const touch = (...fields: Field[]) => setTouched((now) => new Set([...now, ...fields]));
  const showProblems = () => {
    touch("first", "last");
    const wrong = problems?.first === undefined ? "last" : "first";
    formElement.current?.querySelector<HTMLElement>(`[name="${wrong}"]`)?.focus();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (serials === null) {
      showProblems();
      return;
    }
    const last = form.last.trim();
    const range = { first_serial: form.first.trim(), ...(last !== "" && { last_serial: last }) };
    const issued = await run(() => provision({ ...range, partner_id: partnerId }));
    if (issued !== null) onIssued(issued);
  };
  const field = (name: Field) => ({
    name,
    value: form[name],
    error: touched.has(name) ? problems?.[name] : undefined,
    autoComplete: "off",
    maxLength: 60,
    disabled: isSaving,
    onChange: (event: { currentTarget: { value: string } }) => change(name, event.currentTarget.value),
    onBlur: () => touch(name),
  });

  return (
    <Dialog onClose={close} title="Provision Devices" size={480}>
      <form ref={formElement} noValidate onSubmit={(event) => void submit(event)}>
        <div className={classes["fields"]}>
          <TextInput label="Serial number" required data-autofocus {...field("first")} />
          <TextInput label="To (for a range)" placeholder="Such as SCR-1040" {...field("last")} />
        </div>
        <PartnerChoice
          label="Allocate to"
          description="Only this partner can assign them to robots. In-house keeps them with you."
          mt="sm"
          value={partnerId}
          disabled={isSaving}
          onChoose={setPartnerId}
        />
        <Box component="p" mih={20} my={10} fz={13} fw={600} style={{ overflowWrap: "anywhere" }} role="status">
          {serials === null ? "Nothing to provision yet." : previewText(serials)}
        </Box>
        <Alert icon={<IconInfoCircle size={16} />} p="xs" fz={12}>
          Each device gets its own secret for signing in to the broker. The secrets are shown once, after this step.
          {isDemo && " In this demo no simulated robot plays a new device."}
        </Alert>
        <FormButtons
          submitLabel={
            serials === null || serials.length === 1
              ? "Provision device"
              : `Provision ${serials.length.toLocaleString("en-GB")} devices`
          }
          isSaving={isSaving}
          blockedReason={serials === null ? (problems.first ?? problems.last ?? null) : null}
          onRefused={showProblems}
          onCancel={close}
        />
      </form>
    </Dialog>
  );
}
