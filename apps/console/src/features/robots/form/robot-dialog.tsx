import { Box, Button, Input, NativeSelect, TextInput, type TextInputProps } from "@mantine/core";
import { forgetRobotState } from "@suncrew/contract/robots/robot-forms.ts";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { mayCall } from "@suncrew/domain/auth/permissions.ts";
import { IconSelector } from "@tabler/icons-react";
import { useId, useState } from "react";
import { call } from "../../../platform/api/call.ts";
import { change } from "../../../platform/api/change.ts";
import { confirm } from "../../../platform/confirm/confirm.ts";
import { EntityDialog } from "../../../platform/form/entity-dialog.tsx";
import { useRobotLive } from "../../../platform/live/live.ts";
import { useSignedIn } from "../../../platform/session/use-session.ts";
import { DisabledReason } from "../../../ui/disabled-reason.tsx";
import { identityBlockedReasons, robotFieldLabel, withSerialNumber } from "./robot-form.ts";
import classes from "./robot-dialog.module.css";
import { SerialPicker } from "./serial-picker.tsx";
import { type RobotFormState, useRobotForm } from "./use-robot-form.ts";

export interface RobotDialogProps {
  /** The site of a new robot, or of the edited one. */
  readonly siteId: number;
  /** The robot to edit; null adds one. */
  readonly robot: RobotWithSettings | null;
  readonly onClose: () => void;
}

/** §2 Add New Robot and Edit Robot, with the rules of §5. */
export function RobotDialog({ siteId, robot, onClose }: RobotDialogProps) {
  const state = useRobotForm(siteId, robot, onClose);
  return (
    <EntityDialog
      state={state}
      title={robot === null ? "Add New Robot" : "Edit Robot"}
      submitLabel={robot === null ? "Add Robot" : "Save"}
      shownBy={["site", "tab"]}
      size={520}
      fullScreenBelow="30em"
      footer={robot !== null && <ForgetStateButton robot={robot} className={classes["forget"]} />}
      onClose={onClose}
    >
      <RobotFields state={state} isNew={robot === null} />
    </EntityDialog>
  );
}

/** §5 Robot form: the fields, with a picker for the serial number. */
export function RobotFields({ state, isNew }: { readonly state: RobotFormState; readonly isNew: boolean }) {
  const { form, now, sites } = state;
  const bound = identityBlockedReasons(useRobotLive(now?.robot_id ?? 0) ?? now);
  return (
    <div className={classes["fields"]}>
      <SerialField state={state} bound={bound.serialNumber} isFirst={isNew} />
      <RobotTextField
        state={state}
        field="name"
        required
        className={classes["fullWidth"]}
        // A new robot starts with its serial number.
        {...(!isNew && { "data-autofocus": true })}
      />
      <RobotTextField
        state={state}
        field="installationDate"
        required
        type="date"
        max="9999-12-31"
        {...(isNew && { className: classes["fullWidth"] })}
      />
      {!isNew && (
        <NativeSelect
          label={robotFieldLabel.siteId}
          name="siteId"
          value={String(form.siteId)}
          error={state.problemAt("siteId")}
          disabled={bound.siteId !== null}
          description={bound.siteId}
          data={sites.map((site) => ({ value: String(site.id), label: site.name }))}
          onChange={(event) => state.change({ siteId: Number(event.currentTarget.value) })}
        />
      )}
      <TypeField state={state} field="motorType" placeholder="Such as BLDC" />
      <TypeField state={state} field="controlType" placeholder="Such as PLC" />
    </div>
  );
}

interface SerialFieldProps {
  readonly state: RobotFormState;
  /** Why it cannot be changed; null if it can. */
  readonly bound: string | null;
  /** The dialog's initial focus is here. */
  readonly isFirst: boolean;
}

function SerialField({ state, bound, isFirst }: SerialFieldProps) {
  const [isPicking, setPicking] = useState(false);
  const id = useId();
  const { serialNumber } = state.form;
  const problem = state.problemAt("serialNumber");
  const shown = serialNumber === "" ? "Choose a serial number" : serialNumber;
  return (
    <Input.Wrapper
      id={id}
      className={classes["fullWidth"]}
      label={robotFieldLabel.serialNumber}
      required
      withAsterisk
      error={problem}
    >
      <DisabledReason reason={bound}>
        <Button
          id={id}
          name="serialNumber"
          className={classes["serial"]}
          data-error={problem !== null || undefined}
          variant="default"
          fullWidth
          justify="space-between"
          aria-label={`Serial number: ${shown}`}
          aria-haspopup="dialog"
          {...(isFirst && { "data-autofocus": true })}
          rightSection={<IconSelector size={16} aria-hidden />}
          onClick={() => setPicking(true)}
          onBlur={() => {
            if (!isPicking) state.touch("serialNumber");
          }}
        >
          {shown}
        </Button>
      </DisabledReason>
      {bound !== null && (
        <Box component="p" mt={4} fz={12} lh="17px" c="dimmed">
          {bound}
        </Box>
      )}
      {isPicking && (
        <SerialPicker
          chosen={serialNumber}
          own={state.now?.serial_number ?? null}
          sitePartnerId={
            state.sites.find(({ id: siteId }) => siteId === state.form.siteId)?.maintenance_partner_id ?? null
          }
          onChoose={(serial) => {
            state.change(withSerialNumber(serial));
            setPicking(false);
          }}
          onClose={() => {
            state.touch("serialNumber");
            setPicking(false);
          }}
        />
      )}
    </Input.Wrapper>
  );
}

interface RobotTextFieldProps extends Omit<TextInputProps, "name" | "value" | "error" | "onChange" | "onBlur"> {
  readonly state: RobotFormState;
  readonly field: "name" | "installationDate" | "motorType" | "controlType";
}

/** One field, with its problem once it was visited. */
function RobotTextField({ state, field, ...input }: RobotTextFieldProps) {
  return (
    <TextInput
      label={robotFieldLabel[field]}
      autoComplete="off"
      {...input}
      name={field}
      value={state.form[field]}
      error={state.problemAt(field)}
      onChange={(event) => state.change({ [field]: event.currentTarget.value })}
      onBlur={() => state.touch(field)}
    />
  );
}

const typeOfRow = { motorType: "motor_type", controlType: "control_type" } as const;

/** Free text with the values of the site's other robots as suggestions. */
function TypeField({
  state,
  field,
  placeholder,
}: {
  readonly state: RobotFormState;
  readonly field: "motorType" | "controlType";
  readonly placeholder: string;
}) {
  const id = useId();
  const known = new Set(state.neighbours.flatMap((row) => row[typeOfRow[field]] ?? []));
  return (
    <div>
      <RobotTextField state={state} field={field} placeholder={placeholder} list={id} />
      <datalist id={id}>
        {[...known].map((text) => (
          <option key={text} value={text} />
        ))}
      </datalist>
    </div>
  );
}

export interface ForgetStateButtonProps {
  readonly robot: RobotWithSettings;
  readonly className: string | undefined;
}

/** Protocol rule 14: for a robot that lost its memory. For Super Admins only (§6). */
export function ForgetStateButton({ robot, className = "" }: ForgetStateButtonProps) {
  const { role } = useSignedIn();
  const [isBusy, setBusy] = useState(false);
  if (!mayCall(role, "forgetRobotState")) return null;
  const { robot_id: id, robot_name: name } = robot;

  const forget = async () => {
    if (isBusy) return;
    const isSure = await confirm({
      title: "Forget Robot State",
      message: `For a robot that has lost its memory, so that Suncrew accepts its reports again. The last known state of ${name} and its open alerts are discarded, and its next report counts as its first. Its history, lock and settings are retained. Make sure that it is not moving.`,
      confirmLabel: "Forget",
      destructive: true,
    });
    if (!isSure) return;
    setBusy(true);
    await change({
      send: () => call(forgetRobotState, { params: { id } }),
      success: ({ message }) => ({ title: "Robot State Forgotten", message }),
      failure: { title: "Robot State Not Forgotten", message: `The state of ${name} is unchanged.` },
    });
    setBusy(false);
  };

  return (
    <Button variant="subtle" color="gray" className={className} loading={isBusy} onClick={() => void forget()}>
      Forget state
    </Button>
  );
}
