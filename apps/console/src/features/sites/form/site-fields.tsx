import { TextInput } from "@mantine/core";
import type { TextInputProps } from "@mantine/core";
import classes from "./site-dialog.module.css";
import { siteFieldLabel } from "./site-form.ts";
import type { SiteField } from "./site-form.ts";
import type { SiteFormState } from "./use-site-form.ts";

/** §5 Site create: what the site is called and where it lies. */
export function SiteFields({ state }: { state: SiteFormState }) {
  return (
    <div className={classes["fields"]}>
      <SiteTextField state={state} field="name" data-autofocus className={classes["whole"]} />
      <SiteTextField state={state} field="address" className={classes["whole"]} />
      <SiteTextField state={state} field="district" />
      <SiteTextField state={state} field="state" />
      <SiteTextField state={state} field="pinCode" inputMode="numeric" placeholder="Six digits" />
      <SiteTextField state={state} field="commissioningDate" type="date" max="9999-12-31" />
      <SiteTextField state={state} field="lat" inputMode="decimal" placeholder="-90 to 90" />
      <SiteTextField state={state} field="lng" inputMode="decimal" placeholder="-180 to 180" />
    </div>
  );
}

interface SiteTextFieldProps extends Omit<TextInputProps, "name" | "value" | "error" | "onChange" | "onBlur"> {
  readonly state: SiteFormState;
  readonly field: Exclude<SiteField, "maintenancePartnerId">;
  /** Stands there in place of what the form has, as a partner's own contact does. */
  readonly shown?: string | undefined;
}

/** One field of the site dialog, with its sentence where it was touched. */
export function SiteTextField({ state, field, shown, ...input }: SiteTextFieldProps) {
  return (
    <TextInput
      label={siteFieldLabel[field]}
      required
      withAsterisk
      autoComplete="off"
      {...input}
      name={field}
      value={shown ?? state.form[field]}
      error={shown === undefined ? state.problemAt(field) : null}
      onChange={(event) => state.change({ [field]: event.currentTarget.value })}
      onBlur={() => state.touch(field)}
    />
  );
}
