import { TextInput } from "@mantine/core";
import type { HTMLInputTypeAttribute } from "react";
import classes from "./partner-dialog.module.css";
import { PARTNER_FIELDS, partnerFieldNames, SERVICES } from "./partner-form.ts";
import type { PartnerDraft, PartnerField, PartnerProblems } from "./partner-form.ts";

interface Hint {
  readonly type?: HTMLInputTypeAttribute;
  readonly placeholder?: string;
  readonly description?: string;
  /** Over both columns. */
  readonly isWide?: boolean;
  /** Two of them share a line on a phone too. */
  readonly isShort?: boolean;
}

const HINTS: Partial<Record<PartnerField, Hint>> = {
  email: { type: "email" },
  contact_info: { type: "tel" },
  address: { isWide: true },
  city: { isShort: true },
  state: { isShort: true },
  zip_code: { isShort: true },
  country: { isShort: true },
  certifications: { isWide: true, placeholder: "ISO 9001, ISO 45001", description: "With commas between" },
};

export interface PartnerFieldsProps {
  readonly draft: PartnerDraft;
  /** What is shown at the fields now. */
  readonly problems: PartnerProblems;
  readonly onType: (field: PartnerField, text: string) => void;
  readonly onLeave: (field: PartnerField) => void;
}

/** The entries of the add and edit form, in the order of §5, and the fixed services. */
export function PartnerFields({ draft, problems, onType, onLeave }: PartnerFieldsProps) {
  return (
    <div className={classes["fields"]}>
      {partnerFieldNames.map((field) => {
        const { label, required, maxLength } = PARTNER_FIELDS[field];
        const { isWide = false, isShort = false, ...hint }: Hint = HINTS[field] ?? {};
        return (
          <TextInput
            key={field}
            {...hint}
            name={field}
            label={label}
            withAsterisk={required}
            aria-required={required}
            maxLength={maxLength}
            autoComplete="off"
            data-autofocus={field === "name" || undefined}
            wrapperProps={{ "data-wide": isWide || undefined, "data-short": isShort || undefined }}
            className={classes["field"]}
            value={draft[field]}
            error={problems[field]}
            onChange={(event) => onType(field, event.currentTarget.value)}
            onBlur={() => onLeave(field)}
          />
        );
      })}
      <div className={classes["services"]} data-wide>
        <span className={classes["servicesTitle"]} id="partner-services">
          Services
        </span>
        <ul className={classes["chips"]} aria-labelledby="partner-services">
          {SERVICES.map((service) => (
            <li key={service}>{service}</li>
          ))}
        </ul>
      </div>
    </div>
  );
}
