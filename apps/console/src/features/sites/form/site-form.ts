import type { SentBodyOf } from "@suncrew/contract/http/route.ts";
import { stripInvisible } from "@suncrew/contract/http/text.ts";
import { degreesInputSchema } from "@suncrew/contract/http/values.ts";
import { type CleaningPricePer, cleaningPricePerSchema } from "@suncrew/contract/sites/site-energy-facts.ts";
import { type createSite, siteBodySchema } from "@suncrew/contract/sites/site-forms.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { isSamePlace, type Coordinates, siteNameKey } from "@suncrew/domain/sites/site-duplicates.ts";
import {
  DEFAULT_CLEANING_EFFECTIVENESS_PERCENT,
  DEFAULT_SOILING_ALERT_PERCENT,
  energyFactErrors,
} from "@suncrew/domain/sites/site-energy-facts.ts";
import type { HTMLInputTypeAttribute } from "react";
import { missingContacts } from "@suncrew/domain/sites/site-contacts.ts";
import {
  type EntityRules,
  type FieldProblems,
  problemsByField,
  schemaErrors,
} from "../../../platform/form/entity-form.ts";
import { shortDayText } from "../../../ui/days.ts";

interface TextField {
  readonly label: string;
  /** Its name in a site and in the body of a call. */
  readonly wire: keyof Site & keyof SentBodyOf<typeof createSite>;
  readonly input?: {
    readonly type?: HTMLInputTypeAttribute;
    readonly inputMode?: "numeric" | "decimal";
    readonly placeholder?: string;
  };
  /** Across both columns. */
  readonly isWide?: true;
  /** A date, `YYYY-MM-DD`. */
  readonly isDay?: true;
  /** Below the input. */
  readonly hint?: string;
  readonly isOptional?: true;
}

const decimal = (placeholder?: string) => ({
  isOptional: true as const,
  input: { inputMode: "decimal" as const, ...(placeholder !== undefined && { placeholder }) },
});

/** §3 Site form fields in the dialog's order. A new text field needs only a line here. */
export const SITE_TEXT_FIELDS = {
  name: { label: "Site name", wire: "name", isWide: true },
  address: { label: "Address", wire: "address", isWide: true },
  district: { label: "District", wire: "district" },
  state: { label: "State", wire: "state" },
  pinCode: { label: "Pin code", wire: "pin_code", input: { inputMode: "numeric", placeholder: "Six digits" } },
  commissioningDate: { label: "Commissioning date", wire: "commissioning_date", isDay: true },
  lat: { label: "Latitude", wire: "latitude", input: { inputMode: "decimal", placeholder: "-90 to 90" } },
  lng: { label: "Longitude", wire: "longitude", input: { inputMode: "decimal", placeholder: "-180 to 180" } },
} as const satisfies Record<string, TextField>;

/** Typed if there is no partner; with one they stay as they are and are not sent. */
export const SITE_CONTACT_FIELDS = {
  maintenanceContact: { label: "Contact", wire: "maintenance_contact_name" },
  maintenancePhone: { label: "Phone", wire: "maintenance_contact", input: { type: "tel" } },
  maintenanceEmail: { label: "Email", wire: "maintenance_email", input: { type: "email" } },
} as const satisfies Record<string, TextField>;

/** What the worth of cleaning is computed from; whoever leaves one blank does not know it, or takes the default. */
export const SITE_ENERGY_FIELDS = {
  dcCapacity: { label: "DC capacity (kWp)", wire: "dc_capacity_kwp", ...decimal() },
  performanceRatio: {
    label: "Performance ratio (%)",
    wire: "performance_ratio_percent",
    hint: "Of clean panels",
    ...decimal(),
  },
  controlCapacity: {
    label: "Control rows (kWp)",
    wire: "control_capacity_kwp",
    hint: "Part of it that is left uncleaned on purpose",
    ...decimal(),
  },
  tilt: { label: "Tilt (\u00b0)", wire: "tilt_degrees", hint: "0 is flat", ...decimal() },
  azimuth: { label: "Azimuth (\u00b0)", wire: "azimuth_degrees", hint: "180 is south", ...decimal() },
  tariff: { label: "Tariff (per kWh)", wire: "tariff_per_kwh", ...decimal() },
  currency: { label: "Currency", wire: "currency", isOptional: true },
  cleaningPrice: { label: "Price of a cleaning", wire: "cleaning_price", ...decimal() },
  cleaningPricePer: { label: "Price per", wire: "cleaning_price_per", isOptional: true },
  cleaningEffectiveness: {
    label: "Cleaning effectiveness (%)",
    wire: "cleaning_effectiveness_percent",
    hint: "Share of the soiling that it removes",
    ...decimal(`${DEFAULT_CLEANING_EFFECTIVENESS_PERCENT} if blank`),
  },
  soilingRateFactor: {
    label: "Factor on particles",
    wire: "soiling_rate_factor",
    hint: "Of the soiling model; above 1 is dustier",
    ...decimal("1 if blank"),
  },
  soilingAlert: {
    label: "Soiling alert (%)",
    wire: "soiling_alert_percent",
    hint: "Loss from which the site needs attention",
    ...decimal(`${DEFAULT_SOILING_ALERT_PERCENT} if blank`),
  },
  wetWash: {
    label: "Water of a wet wash (l/kWp)",
    wire: "wet_wash_litres_per_kwp",
    hint: "Of the washes that the robots replace",
    ...decimal(),
  },
} as const satisfies Record<string, TextField>;

const TEXT_FIELDS = { ...SITE_TEXT_FIELDS, ...SITE_CONTACT_FIELDS, ...SITE_ENERGY_FIELDS };
export type SiteTextField = keyof typeof TEXT_FIELDS;
export type SiteField = SiteTextField | "maintenancePartnerId";

export interface SiteForm extends Readonly<Record<SiteTextField, string>> {
  readonly maintenancePartnerId: number | null;
  /** The chosen partner's name; empty if there is none. */
  readonly maintenancePartner: string;
}

export const SITE_FIELDS: readonly SiteField[] = [
  ...keysOf(SITE_TEXT_FIELDS),
  "maintenancePartnerId",
  ...keysOf(SITE_CONTACT_FIELDS),
  ...keysOf(SITE_ENERGY_FIELDS),
];

export const siteFieldOf = (field: SiteTextField): TextField => TEXT_FIELDS[field];
const labelOf = (field: SiteField) =>
  field === "maintenancePartnerId" ? "Maintenance partner" : TEXT_FIELDS[field].label;

function keysOf<T extends object>(table: T): (keyof T)[] {
  return Object.keys(table) as (keyof T)[];
}

function textsOf(textOf: (field: TextField) => string): Record<SiteTextField, string> {
  const texts: Partial<Record<SiteTextField, string>> = {};
  for (const field of keysOf(TEXT_FIELDS)) texts[field] = textOf(TEXT_FIELDS[field]);
  return texts as Record<SiteTextField, string>;
}

/** What the price of a cleaning may be for. */
export const PRICE_PER: readonly { readonly value: CleaningPricePer; readonly label: string }[] = [
  { value: "run", label: "Run of a robot" },
  { value: "kwp", label: "kWp" },
];

export const emptySiteForm: SiteForm = { ...textsOf(() => ""), maintenancePartnerId: null, maintenancePartner: "" };

export function siteFormOf(site: Site): SiteForm {
  return {
    ...textsOf(({ wire }) => stripInvisible(String(site[wire] ?? ""))),
    maintenancePartnerId: site.maintenance_partner_id,
    maintenancePartner: site.partner_name ?? "",
  };
}

type BodyText<Fields extends Record<string, TextField>, Value> = {
  [Field in keyof Fields as Fields[Field]["wire"]]: Value;
};

function bodyTextOf<Fields extends Record<string, TextField>, Value>(
  fields: Fields,
  valueOf: (field: keyof Fields & string) => Value,
): BodyText<Fields, Value> {
  const entries = Object.entries(fields).map(([field, { wire }]) => [wire, valueOf(field)]);
  return Object.fromEntries(entries) as BodyText<Fields, Value>;
}

/**
 * §7 sites/create and sites/update: the same body. With a partner no typed contact is sent: the partner's own counts.
 */
export function siteBodyOf(form: SiteForm) {
  const isTyped = form.maintenancePartnerId === null;
  return {
    ...bodyTextOf(SITE_TEXT_FIELDS, (field) => form[field as SiteTextField].trim()),
    maintenance_partner_id: form.maintenancePartnerId,
    ...bodyTextOf(SITE_CONTACT_FIELDS, (field) => (isTyped ? form[field as SiteTextField].trim() : null)),
    ...bodyTextOf(SITE_ENERGY_FIELDS, (field) => form[field as SiteTextField].trim()),
    cleaning_price_per: cleaningPricePerSchema.safeParse(form.cleaningPricePer).data ?? null,
  };
}

/** §5 Site create: what is wrong with each field; the server applies the same rules with the same schema. */
export function siteFormProblems(form: SiteForm): FieldProblems<SiteField> {
  const body = siteBodyOf(form);
  const together = [...missingContacts(body), ...energyFactErrors(body)];
  const errors = [...together, ...schemaErrors(siteBodySchema.safeParse(body).error?.issues)];
  const blank = (["lat", "lng", "commissioningDate"] as const).filter((field) => form[field].trim() === "");
  return {
    ...problemsByField(errors, siteRules),
    ...Object.fromEntries(blank.map((field) => [field, `${labelOf(field)} is required`])),
  };
}

/** The coordinates as numbers; null if they are not numbers yet. */
export function placeOf(form: Pick<SiteForm, "lat" | "lng">): Coordinates | null {
  const latitude = degreesInputSchema("Latitude", 90).safeParse(form.lat.trim()).data;
  const longitude = degreesInputSchema("Longitude", 180).safeParse(form.lng.trim()).data;
  return latitude === undefined || longitude === undefined ? null : { latitude, longitude };
}

export type Duplicate = "name" | "place";

/** §5: what another site already has; the edited site itself does not count. */
export function duplicatesOf(form: SiteForm, sites: readonly Site[], ownId: number | null): readonly Duplicate[] {
  const others = sites.filter((site) => site.id !== ownId);
  const key = siteNameKey(form.name);
  const place = placeOf(form);
  const found: Duplicate[] = [];
  if (key !== "" && others.some((site) => siteNameKey(site.name) === key)) found.push("name");
  if (place !== null && others.some((site) => isSamePlace(place, site))) found.push("place");
  return found;
}

/** How two people's edits of a site are merged, and which field an error of the server belongs to. */
export const siteRules: EntityRules<SiteForm, SiteField> = {
  units: [
    ["name"],
    ["address"],
    ["district"],
    ["state"],
    ["pinCode"],
    ["commissioningDate"],
    ["lat", "lng"],
    // Who maintains it is one fact: one person's number beside another one's name would be nobody's.
    ["maintenancePartnerId", ...keysOf(SITE_CONTACT_FIELDS)],
    // A part of less than the whole.
    ["dcCapacity", "controlCapacity"],
    ["performanceRatio"],
    ["tilt"],
    ["azimuth"],
    // One person's currency beside another one's tariff would be a wrong price.
    ["tariff", "currency", "cleaningPrice", "cleaningPricePer"],
    ["cleaningEffectiveness"],
    ["soilingRateFactor"],
    ["soilingAlert"],
    ["wetWash"],
  ],
  isSame: (one, other, field) => storedText(one, field) === storedText(other, field),
  companions: { maintenancePartnerId: "maintenancePartner" },
  labelOf,
  fieldOf: (wire) =>
    wire === "maintenance_partner_id"
      ? "maintenancePartnerId"
      : (keysOf(TEXT_FIELDS).find((field) => TEXT_FIELDS[field].wire === wire) ?? null),
  textOf: shownText,
};

/** A field's stored form, for comparing: `27.50` and `27.5` are the same. */
function storedText(form: SiteForm, field: SiteField): string {
  const text = String(form[field] ?? "").trim();
  if (field !== "maintenancePartnerId" && siteFieldOf(field).input?.inputMode === "decimal") {
    const number = siteBodySchema.shape[TEXT_FIELDS[field].wire].safeParse(text).data ?? text;
    return String(number);
  }
  const isTyped = field in SITE_CONTACT_FIELDS;
  return isTyped && form.maintenancePartnerId !== null ? "" : text;
}

function shownText(form: SiteForm, field: SiteField): string {
  if (field === "maintenancePartnerId") return form.maintenancePartner;
  const text = storedText(form, field) === "" ? "" : form[field].trim();
  if (field === "cleaningPricePer") return PRICE_PER.find(({ value }) => value === text)?.label ?? "";
  return text !== "" && siteFieldOf(field).isDay ? shortDayText(text) : text;
}
