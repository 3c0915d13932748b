import { internationalPhone } from "@suncrew/domain/partners/phone-number.ts";
import { TextInput } from "@mantine/core";
import { useState } from "react";
import type { HTMLInputTypeAttribute } from "react";
import type { EntityForm } from "../../../platform/form/entity-form.ts";
import classes from "./partner-dialog.module.css";
import { PARTNER_FIELDS, partnerFieldNames, SERVICES } from "./partner-form.ts";
import type { PartnerDraft, PartnerField } from "./partner-form.ts";

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

/** The entries of the add and edit form, in the order of §5, and the fixed services. */
export function PartnerFields({ state }: { readonly state: EntityForm<PartnerDraft, PartnerField> }) {
  const draft = state.form;
  const [isTypingPhone, setTypingPhone] = useState(false);
  return (
    <div className={classes["fields"]}>
      {partnerFieldNames.map((field) => {
        const { label, required } = PARTNER_FIELDS[field];
        const { isWide = false, isShort = false, ...hint }: Hint = HINTS[field] ?? {};
        const isPhone = field === "contact_info";
        const problem = state.problemAt(field);
        return (
          <TextInput
            key={field}
            {...hint}
            {...(isPhone && problem === null && phoneHint(draft, isTypingPhone))}
            name={field}
            label={label}
            withAsterisk={required}
            aria-required={required}
            autoComplete="off"
            data-autofocus={field === "name" || undefined}
            wrapperProps={{ "data-wide": isWide || undefined, "data-short": isShort || undefined }}
            className={classes["field"]}
            value={draft[field]}
            error={problem}
            onChange={(event) => state.change({ [field]: event.currentTarget.value })}
            onFocus={() => setTypingPhone(isPhone)}
            onBlur={() => {
              setTypingPhone(false);
              state.touch(field);
            }}
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

/**
 * Below Phone: how WhatsApp and text messages will dial it, or why they cannot. It never keeps anybody from saving, and
 * says nothing of a number that is only half typed.
 */
function phoneHint({ contact_info: phone, country }: PartnerDraft, isTyping: boolean) {
  if (phone.trim() === "") return null;
  const { e164, problem } = internationalPhone(phone, country);
  if (problem !== null && isTyping) return null;
  return {
    inputWrapperOrder: ["label" as const, "input" as const, "description" as const],
    description: e164 === null ? `No WhatsApp or SMS: ${problem}` : `Dialled as ${e164}`,
    descriptionProps: { mt: 4, "data-warning": e164 === null || undefined },
  };
}
