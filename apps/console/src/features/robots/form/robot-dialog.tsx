import { Box, Button, Input, NativeSelect, TextInput } from "@mantine/core";
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
import { DayField } from "../../../ui/day-field.tsx";
import { DisabledReason } from "../../../ui/disabled-reason.tsx";
import { AddRangeDialog } from "./add-range-dialog.tsx";
import { identityBlockedReasons, robotFieldLabel, withSerialNumber } from "./robot-form.ts";
import classes from "./robot-dialog.module.css";
import { SerialPicker } from "./serial-picker.tsx";
import { TypeField } from "./type-field.tsx";
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
  const [isRange, setRange] = useState(false);
  if (isRange) return <AddRangeDialog siteId={siteId} onClose={onClose} />;
  return (
    <EntityDialog
      state={state}
      title={robot === null ? "Add New Robot" : "Edit Robot"}
      submitLabel={robot === null ? "Add Robot" : "Save"}
      shownBy={["site", "tab"]}
      size={520}
      fullScreenBelow="30em"
      footer={
        robot === null ? (
          <Button variant="subtle" className={classes["forget"] ?? ""} onClick={() => setRange(true)}>
            Add several
          </Button>
        ) : (
          <ForgetStateButton robot={robot} className={classes["forget"]} />
        )
      }
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
      <TextInput
        label={robotFieldLabel.name}
        autoComplete="off"
        name="name"
        required
        className={classes["fullWidth"] ?? ""}
        value={form.name}
        error={state.problemAt("name")}
        onChange={(event) => state.change({ name: event.currentTarget.value })}
        onBlur={() => state.touch("name")}
        // A new robot starts with its serial number.
        {...(!isNew && { "data-autofocus": true })}
      />
      <DayField
        label={robotFieldLabel.installationDate}
        name="installationDate"
        required
        day={form.installationDate}
        error={state.problemAt("installationDate")}
        onChange={(installationDate) => state.change({ installationDate })}
        onBlur={() => state.touch("installationDate")}
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
          inputWrapperOrder={["label", "input", "description", "error"]}
          data={sites.map((site) => ({ value: String(site.id), label: site.name }))}
          onChange={(event) => state.change({ siteId: Number(event.currentTarget.value) })}
        />
      )}
      {(["motorType", "controlType"] as const).map((field) => (
        <TypeField
          key={field}
          field={field}
          inUse={state.typesInUse[field]}
          value={form[field]}
          error={state.problemAt(field)}
          onChange={(text) => state.change({ [field]: text })}
          onBlur={() => state.touch(field)}
        />
      ))}
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
