import { partnerBodySchema, type Partner } from "@suncrew/contract/partners/partners.ts";
import { requiredText, stripInvisible } from "@suncrew/contract/http/text.ts";
import { certificationsAsText, certificationsOf } from "@suncrew/domain/partners/partners.ts";
import {
  type EntityRules,
  type FieldProblems,
  problemsByField,
  schemaErrors,
} from "../../../platform/form/entity-form.ts";

/** §3 Maintenance partner: the services of every partner; a fixed list that is not stored. */
export const SERVICES = ["Robot Maintenance", "Software Updates"] as const;

/** §3: the country of rows without one; §9: the default for a new partner. */
const COUNTRY_OF_OLD_ROWS = "INDIA";
const COUNTRY_OF_NEW_ONES = "USA";

/** The form's fields in order, with their labels. Their names are those of the API. */
export const PARTNER_FIELDS = {
  name: { label: "Company name", required: true },
  contact_person: { label: "Contact person", required: true },
  email: { label: "Email", required: true },
  contact_info: { label: "Phone", required: true },
  address: { label: "Address", required: true },
  city: { label: "City", required: true },
  state: { label: "State", required: true },
  zip_code: { label: "Zip code", required: true },
  country: { label: "Country", required: true },
  registration: { label: "Company registration", required: false },
  tax_id: { label: "Tax ID", required: false },
  certifications: { label: "Certifications", required: false },
} as const;

export type PartnerField = keyof typeof PARTNER_FIELDS;
/** The input, as typed. */
export type PartnerDraft = Readonly<Record<PartnerField, string>>;

/** In the order of §5. */
export const partnerFieldNames = Object.keys(PARTNER_FIELDS).filter(isPartnerField);

function isPartnerField(name: string): name is PartnerField {
  return name in PARTNER_FIELDS;
}

export const emptyDraft: PartnerDraft = {
  ...draftWith(() => ""),
  country: COUNTRY_OF_NEW_ONES,
};

export function draftOf(partner: Partner): PartnerDraft {
  return draftWith((field) => stripInvisible(partner[field] ?? "") || (field === "country" ? COUNTRY_OF_OLD_ROWS : ""));
}

function draftWith(textOf: (field: PartnerField) => string): PartnerDraft {
  return {
    name: textOf("name"),
    contact_person: textOf("contact_person"),
    email: textOf("email"),
    contact_info: textOf("contact_info"),
    address: textOf("address"),
    city: textOf("city"),
    state: textOf("state"),
    zip_code: textOf("zip_code"),
    country: textOf("country"),
    registration: textOf("registration"),
    tax_id: textOf("tax_id"),
    certifications: textOf("certifications"),
  };
}

/** The body that is sent (§7): trimmed, certifications as a list with commas. */
export function bodyOf(draft: PartnerDraft) {
  const trimmed = draftWith((field) => draft[field].trim());
  return { ...trimmed, certifications: certificationsAsText(certificationsOf(draft.certifications)), status: "ACTIVE" };
}

/** §5: the form also requires a country, which is optional in the call. */
const formSchema = partnerBodySchema.extend({ country: requiredText("Country is required", 100) });

/** §5 Partner add/edit: what is wrong, by field; empty if the draft may be saved. */
export function partnerProblems(draft: PartnerDraft): FieldProblems<PartnerField> {
  return problemsByField(schemaErrors(formSchema.safeParse(bodyOf(draft)).error?.issues), partnerRules);
}

/** How two people's edits of a partner are merged, and which field an error of the server belongs to. */
export const partnerRules: EntityRules<PartnerDraft, PartnerField> = {
  units: partnerFieldNames.map((field) => [field]),
  isSame: (one, other, field) => bodyOf(one)[field] === bodyOf(other)[field],
  labelOf: (field) => PARTNER_FIELDS[field].label,
  fieldOf: (wire) => (isPartnerField(wire) ? wire : null),
  textOf: (draft, field) => bodyOf(draft)[field] ?? "",
};
