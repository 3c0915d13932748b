import { Box, Group, TextInput } from "@mantine/core";
import { createPartner, type Partner, partnerDetails, updatePartner } from "@suncrew/contract/partners/partners.ts";
import { internationalPhone } from "@suncrew/domain/partners/phone-number.ts";
import { type HTMLInputTypeAttribute, useState } from "react";
import { call } from "../../../platform/api/call.ts";
import { change } from "../../../platform/api/change.ts";
import { queryKeyOf } from "../../../platform/api/route-query.ts";
import { EntityDialog } from "../../../platform/form/entity-dialog.tsx";
import { type EntityForm, useEntityForm } from "../../../platform/form/entity-form.ts";
import type { NewPartner } from "../credentials/credentials.ts";
import shared from "../../../ui/shared.module.css";
import classes from "./partner-dialog.module.css";
import {
  bodyOf,
  draftOf,
  emptyDraft,
  PARTNER_FIELDS,
  type PartnerDraft,
  type PartnerField,
  partnerFieldNames,
  partnerProblems,
  partnerRules,
  SERVICES,
} from "./partner-form.ts";

/** §5 Partner add/edit. */
export function PartnerDialog(props: PartnerFormOptions) {
  const isNew = props.partner === null;
  const state = usePartnerForm(props);
  return (
    <EntityDialog
      state={state}
      title={isNew ? "Add New Partner" : "Edit Partner"}
      submitLabel={isNew ? "Add Partner" : "Save"}
      size="lg"
      fullScreenBelow="48em"
      onClose={props.onClose}
    >
      <PartnerFields state={state} />
    </EntityDialog>
  );
}

function storedPartner(partner: Partner | null) {
  return partner === null ? { form: emptyDraft, version: 0 } : { form: draftOf(partner), version: partner.version };
}

export interface PartnerFormOptions {
  /** The partner to edit, as the list has it now; null adds one. */
  readonly partner: Partner | null;
  /** It is no longer in the list. */
  readonly isDeleted: boolean;
  readonly onCreated: (created: NewPartner) => void;
  readonly onClose: () => void;
}

export function usePartnerForm({ partner, isDeleted, onCreated, onClose }: PartnerFormOptions) {
  return useEntityForm<PartnerDraft, PartnerField, NewPartner | null>({
    what: "partner",
    opened: storedPartner(partner),
    isNew: partner === null,
    latest: partner === null ? null : storedPartner(partner),
    deleted: isDeleted ? "This partner was deleted in the meantime." : null,
    rules: partnerRules,
    problemsOf: partnerProblems,
    save: (draft, version) => savePartner(partner && { id: partner.id, version }, draft),
    onSaved: (created) => (created === null ? onClose() : onCreated(created)),
  });
}

/** Creates a partner and returns it with its credentials, or updates `edited`. */
function savePartner(edited: Pick<Partner, "id" | "version"> | null, draft: PartnerDraft) {
  const body = bodyOf(draft);
  const isNew = edited === null;
  return change<NewPartner | null>({
    send: async () => {
      if (edited === null) {
        const { partnerId, credentials } = await call(createPartner, { body });
        return { ...body, id: partnerId, ...credentials };
      }
      await call(updatePartner, { params: { id: edited.id }, body: { ...body, version: edited.version } });
      return null;
    },
    invalidates: [queryKeyOf(partnerDetails)],
    hasConflictForm: true,
    success: isNew
      ? { title: "Partner Added Successfully", message: `${body.name} has been added.` }
      : { title: "Partner Updated", message: `${body.name} has been updated.` },
    failure: {
      title: isNew ? "Partner Creation Failed" : "Partner Update Failed",
      message: `Failed to ${isNew ? "create" : "update"} partner. Please try again.`,
    },
  });
}

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
  certifications: { isWide: true, placeholder: "ISO 9001, ISO 45001", description: "Separated by commas" },
};

/** The fields of the add and edit form, in the order of §5, and the fixed services. */
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
      <Group gap="4px 12px" mt={8} data-wide>
        <Box component="span" fz={13} fw={600} id="partner-services">
          Services
        </Box>
        <ul className={shared["chips"]} style={{ lineHeight: "18px" }} aria-labelledby="partner-services">
          {SERVICES.map((service) => (
            <li key={service}>{service}</li>
          ))}
        </ul>
      </Group>
    </div>
  );
}

/**
 * Below Phone: how WhatsApp and text messages will dial it, or why they cannot. It never prevents
 * saving, and stays silent while the number is being typed.
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
